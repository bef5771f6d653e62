import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of Horizon or friendbot that can fail on demand. */
export interface Gate {
  url: string
  /**
   * How it treats requests. `open` forwards them; `loses answers` forwards them too and answers submissions with
   * 504.
   */
  mood: 'open' | 'limits rates' | 'times out' | 'is down' | 'hangs' | 'loses answers'
  /** Requests received since this was set to 0. */
  asked: number
  stop(): Promise<void>
}

const REFUSALS: Partial<Record<Gate['mood'], number>> = {
  'limits rates': 429,
  'times out': 504,
  'is down': 503,
}

/** @param behind the address it forwards to; the path of each request is appended */
export async function startGate(behind: () => string): Promise<Gate> {
  const server = createServer((request, response) => {
    gate.asked++
    if (gate.mood === 'hangs') return
    const refusal = REFUSALS[gate.mood]
    if (refusal) return response.writeHead(refusal).end()
    pass(behind() + pathOf(request), request, response, gate).catch(() => response.destroy())
  })
  const gate: Gate = {
    url: '',
    mood: 'open',
    asked: 0,
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  gate.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return gate
}

/** The root path is empty because `behind` may have a path of its own. */
const pathOf = ({ url = '' }: IncomingMessage) => url.replace(/^\/(?=$|\?)/, '')

async function pass(url: string, request: IncomingMessage, response: ServerResponse, gate: Gate) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const type = request.headers['content-type']
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers: type ? { 'content-type': type } : {},
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  })
  const body = Buffer.from(await answer.arrayBuffer())
  const lost = gate.mood === 'loses answers' && request.method === 'POST'
  if (lost) return response.writeHead(504).end()
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
}
