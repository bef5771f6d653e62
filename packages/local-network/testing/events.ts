import { request } from 'node:http'

export interface ServerEvent {
  readonly event?: string
  readonly id?: string
  readonly data?: unknown
}

/** Reads server-sent events until `done` says so, the server ends the stream, or it takes too long. */
export function readEvents(
  url: string,
  done: (events: readonly ServerEvent[]) => boolean,
  headers: Record<string, string> = {},
): Promise<{ events: ServerEvent[]; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const events: ServerEvent[] = []
    let text = ''
    const outgoing = request(url, { headers: { accept: 'text/event-stream', ...headers } }, answer => {
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        events.push(...blocks.map(parse))
        if (!done(events)) return
        outgoing.destroy()
        resolve({ events, ended: false })
      })
      answer.on('end', () => resolve({ events, ended: true }))
    })
    outgoing.on('error', error => {
      if (!outgoing.destroyed) reject(error)
    })
    outgoing.end()
  })
}

function parse(block: string): ServerEvent {
  const fields = Object.fromEntries(
    block.split('\n').map(line => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  return { ...fields, ...(fields['data'] !== undefined && { data: JSON.parse(fields['data']) }) }
}
