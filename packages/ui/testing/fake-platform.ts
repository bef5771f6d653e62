import type { AnswerOf, Endpoint, EndpointShape, StatusOf } from '@windlass/contracts/endpoint.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  params: Record<string, string>
  query: URLSearchParams
  body: unknown
  headers: IncomingMessage['headers']
}

export interface FakePlatform {
  url: string
  /** Answers an endpoint from now on; the answer's type is the contract's. */
  answer<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    respond: (asked: Asked) => AnswerOf<S> | Refusal | Promise<AnswerOf<S> | Refusal>,
    status?: StatusOf<S>,
  ): void
  /** Events of an endpoint that streams: `emit` sends one, `cut` breaks every open stream. */
  stream<S extends EndpointShape>(
    endpoint: Endpoint<S>,
  ): { emit(data: AnswerOf<S>): void; cut(): void; open(): number }
  /** Every request that was made, as `POST /api/v1/applications`. */
  requests: { line: string; asked: Asked }[]
  close(): Promise<void>
}

export class Refusal {
  readonly code: ProblemCode
  readonly detail: string
  readonly extensions: Record<string, unknown>

  constructor(code: ProblemCode, detail: string, extensions: Record<string, unknown> = {}) {
    this.code = code
    this.detail = detail
    this.extensions = extensions
  }
}

type Route = { method: string; pattern: RegExp; serve(asked: Asked, response: ServerResponse): Promise<void> }

/** Stands in for the platform in a console's own tests: contract-typed answers, problem documents, streams. */
export async function fakePlatform(): Promise<FakePlatform> {
  const routes: Route[] = []
  const requests: FakePlatform['requests'] = []
  const add = (endpoint: Endpoint, serve: Route['serve']): void => {
    const pattern = new RegExp(`^${endpoint.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    routes.unshift({ method: endpoint.method, pattern, serve })
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform')
    const body = await bodyOf(request)
    const route = routes.find(
      ({ method, pattern }) => method === request.method && pattern.test(url.pathname),
    )
    const groups = route?.pattern.exec(url.pathname)?.groups ?? {}
    const params = Object.fromEntries(Object.entries(groups).map(([k, v]) => [k, decodeURIComponent(v)]))
    const asked = { params, query: url.searchParams, body, headers: request.headers }
    requests.push({ line: `${request.method} ${url.pathname}`, asked })
    if (route) await route.serve(asked, response)
    else refuse(response, new Refusal('not-found', `There is no ${request.method} ${url.pathname} here.`))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(endpoint, respond, status) {
      add(endpoint, async (asked, response) => {
        const answer = await respond(asked)
        if (answer instanceof Refusal) return refuse(response, answer)
        const isPage = endpoint.file === 'text/html'
        response.writeHead(status ?? Number(Object.keys(endpoint.response)[0]), {
          'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
        })
        response.end(isPage ? String(answer) : JSON.stringify(answer))
      })
    },
    stream(endpoint) {
      const open = new Set<ServerResponse>()
      let id = 0
      add(endpoint, async (_asked, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
        response.write('retry: 100\n\n')
        open.add(response)
        response.on('close', () => open.delete(response))
      })
      return {
        emit: data => open.forEach(stream => stream.write(`id: ${++id}\ndata: ${JSON.stringify(data)}\n\n`)),
        cut: () => {
          open.forEach(stream => stream.destroy())
          open.clear()
        },
        open: () => open.size,
      }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, { code, detail, extensions }: Refusal): void {
  const { status, title } = problems[code]
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(
    JSON.stringify({
      ...extensions,
      type: `/docs/problems/${code}`,
      title,
      status,
      detail,
      code,
      requestId: 'req-test-1',
    }),
  )
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request) text += String(part)
  if (request.headers['content-type'] === 'application/octet-stream') return text
  return text ? JSON.parse(text) : undefined
}
