import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a server of the ledger's and can be moody. */
export interface Gate {
  url: string
  /**
   * What it does with requests; `open` passes them on, and so does `loses answers`, which answers 504 to what was
   * submitted then.
   */
  mood: 'open' | 'limits rates' | 'times out' | 'is down' | 'hangs' | 'loses answers'
  /** Requests it has got since it was last set to 0. */
  asked: number
  stop(): Promise<void>
}

const REFUSALS: Partial<Record<Gate['mood'], number>> = {
  'limits rates': 429,
  'times out': 504,
  'is down': 503,
}

/** @param behind what it passes requests on to: a path of the answer's own follows it */
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

/** The root's own path is empty: what stands before it may be more than a host. */
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
