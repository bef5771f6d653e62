import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Refusal {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** What it answers by itself. */
const REFUSALS = {
  'limits rates': { status: 429 },
  'limits rates for a second': { status: 429, headers: { 'retry-after': '1' }, body: '{}' },
  fails: { status: 500, body: '{}' },
  'answers with a page': {
    ...{ status: 502, headers: { 'content-type': 'text/html' } },
    body: '<html><h1>Bad Gateway</h1></html>',
  },
  'is down': { status: 503 },
  'times out': { status: 504 },
} satisfies Record<string, Refusal>

export type Mood = 'open' | 'loses answers' | 'hangs' | keyof typeof REFUSALS

/** A proxy in front of Horizon or friendbot that can fail on demand. */
export interface Gate {
  url: string
  /**
   * How it treats requests. `open` forwards them; `loses answers` forwards them too and answers submissions with
   * 504.
   */
  mood: Mood
  /** How it treats the next request, where that is not `mood`. */
  next?: (() => Promise<Mood>) | undefined
  /** Requests received since this was set to 0. */
  asked: number
  stop(): Promise<void>
}

/** @param behind the address it forwards to; the path of each request is appended */
export async function startGate(behind: () => string): Promise<Gate> {
  const server = createServer(async (request, response) => {
    gate.asked++
    const mood = (await gate.next?.()) ?? gate.mood
    if (mood === 'hangs') return
    if (mood !== 'open' && mood !== 'loses answers') {
      const { status, headers, body }: Refusal = REFUSALS[mood]
      return response.writeHead(status, headers).end(body)
    }
    pass(behind() + pathOf(request), request, response, mood).catch(() => response.destroy())
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

async function pass(url: string, request: IncomingMessage, response: ServerResponse, mood: Mood) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const type = request.headers['content-type']
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers: type ? { 'content-type': type } : {},
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  })
  const body = Buffer.from(await answer.arrayBuffer())
  const lost = mood === 'loses answers' && request.method === 'POST'
  if (lost) return response.writeHead(504).end()
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
}
