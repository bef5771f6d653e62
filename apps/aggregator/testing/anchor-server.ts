import { certificateOf } from '@windlass/testing/certificates.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

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

/** @param certificate Of a server that speaks https. */
export async function startAnchorServer(certificate?: { key: string; cert: string }): Promise<AnchorServer> {
  const routes = new Map<string, Respond>()
  const requests: AnchorServer['requests'] = []
  const answer: Respond = (request, response) => {
    const path = request.url?.split('?')[0] ?? '/'
    requests.push({ line: `${request.method} ${path}`, headers: request.headers })
    const respond = routes.get(path) ?? routes.get('*') ?? notFound
    respond(request, response)
  }
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${certificate ? 'https' : 'http'}://${host}`,
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

/** The same over https; until it is closed this process trusts its certificate, and no other. */
export async function startTlsAnchorServer(name: string): Promise<AnchorServer> {
  const certificate = await certificateOf(name, new Date(Date.now() + 86_400_000))
  const trusted = getCACertificates()
  setDefaultCACertificates([certificate.cert])
  const server = await startAnchorServer(certificate)
  const close = async () => {
    setDefaultCACertificates(trusted)
    await server.close()
  }
  return { ...server, host: server.host.replace('127.0.0.1', name), close }
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
