import { once } from 'node:events'
import { connect } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

export interface Load {
  answers: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

interface Asked {
  port: number
  path: string
  connections: number
  seconds: number
  /** Makes each request's body as it is sent. */
  bodyOf(): object
}

/**
 * Keeps connections busy, each with the next request as soon as the last is answered. Written for little: a client that
 * reads each answer as a client should takes as long for it as the server, on the same processors. Throws where an
 * answer is no success.
 */
export async function load(asked: Asked): Promise<Load> {
  const latencies = createHistogram()
  const began = performance.now()
  const until = began + asked.seconds * 1_000
  await Promise.all(Array.from({ length: asked.connections }, () => keepBusy(asked, until, latencies)))
  const answers = latencies.count
  return {
    answers,
    perSecond: (answers * 1_000) / (performance.now() - began),
    p50: latencies.percentile(50) / 1_000,
    p99: latencies.percentile(99) / 1_000,
  }
}

async function keepBusy(asked: Asked, until: number, latencies: RecordableHistogram): Promise<void> {
  let sentAt = 0
  // Bytes of the answer that have not come; null: not even its head.
  let left: number | null = null
  const send = () => {
    const body = JSON.stringify(asked.bodyOf())
    sentAt = performance.now()
    socket.write(
      `POST ${asked.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  const receive = (length: number, buffer: Uint8Array): boolean => {
    try {
      left = (left ?? lengthOf(Buffer.from(buffer.buffer, buffer.byteOffset, length))) - length
    } catch (error) {
      socket.destroy(error as Error)
      return false
    }
    if (left > 0) return true
    left = null
    const now = performance.now()
    latencies.record(Math.max(1, Math.round((now - sentAt) * 1_000)))
    if (now < until) send()
    else socket.end()
    return true
  }
  const socket = connect({
    port: asked.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(65_536), callback: receive },
  })
  await once(socket, 'connect')
  send()
  await once(socket, 'close')
}

/** Bytes of the answer that begins here. Its head comes in one piece. */
function lengthOf(start: Buffer): number {
  const end = start.indexOf('\r\n\r\n')
  const head = start.toString('latin1', 0, end)
  const length = /^HTTP\/1\.1 2\d\d [^]*\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (end < 0 || length === undefined) throw new Error(`answered ${head || start.toString()}`)
  return end + 4 + Number(length)
}
