import type { FastifyReply, FastifyRequest } from 'fastify'

/** A stream that has sent nothing for this long ends, and the client reconnects with the last id it saw. */
const silence = 55_000
/** More than this waiting in a client's socket, and the stream pauses until it has read on. */
const unreadLimit = 1024 * 1024

export interface StreamEvent {
  readonly id: string
  readonly data: unknown
}

/** Open streams, so that stopping the network can end them. */
export class Streams {
  readonly #open = new Set<() => void>()

  /**
   * Answers with server-sent events: `read` is asked for what follows the last id, at once and after every close,
   * until `limit` events are out; the client then opens a new stream.
   */
  serve(
    request: FastifyRequest,
    reply: FastifyReply,
    onLedger: (listener: () => void) => () => void,
    cursor: string,
    limit: number,
    read: (cursor: string, limit: number) => readonly StreamEvent[],
  ): void {
    const first = read(cursor, limit)
    reply.hijack()
    const socket = reply.raw
    socket.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
      'x-accel-buffering': 'no',
    })
    let last = cursor
    let left = limit
    let timer = setTimeout(() => end(), silence)

    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      this.#open.delete(end)
      if (!socket.writableEnded) socket.end('retry: 10\nevent: close\ndata: "byebye"\n\n')
    }
    const send = (events: readonly StreamEvent[]) => {
      for (const { id, data } of events) {
        socket.write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
        last = id
        left -= 1
      }
      if (left <= 0) return end()
      if (events.length > 0) {
        clearTimeout(timer)
        timer = setTimeout(end, silence)
      }
    }
    const advance = () => {
      if (socket.writableLength > unreadLimit) return
      try {
        send(read(last, left))
      } catch (error) {
        request.log.error(error, 'a stream could not continue')
        end()
      }
    }

    const unsubscribe = onLedger(advance)
    this.#open.add(end)
    socket.on('close', end)
    socket.on('drain', advance)
    socket.write('retry: 1000\nevent: open\ndata: "hello"\n\n')
    send(first)
  }

  close(): void {
    for (const end of this.#open) end()
  }
}
