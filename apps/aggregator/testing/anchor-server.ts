import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Respond = (request: IncomingMessage, response: ServerResponse) => void

/** A server in the place of an anchor: its business server's health, its discovery file, or anything worse. */
export interface AnchorServer {
  url: string
  /** `127.0.0.1:<port>` */
  host: string
  /** `METHOD path` of each request, oldest first. */
  requests: { line: string; headers: IncomingMessage['headers'] }[]
  /** Replaces how a path is answered. */
  on(path: string, respond: Respond): void
  close(): Promise<void>
}

export async function startAnchorServer(): Promise<AnchorServer> {
  const routes = new Map<string, Respond>()
  const requests: AnchorServer['requests'] = []
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/'
    requests.push({ line: `${request.method} ${path}`, headers: request.headers })
    const respond = routes.get(path) ?? routes.get('*') ?? notFound
    respond(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    host,
    requests,
    on: (path, respond) => routes.set(path, respond),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const notFound: Respond = (_request, response) => {
  response.writeHead(404).end()
}

export const json =
  (body: unknown, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

export const text =
  (body: string, headers: Record<string, string> = {}): Respond =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(body)
  }
