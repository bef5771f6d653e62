import { Problem, problemDocument } from '@windlass/service/http/problem.ts'
import { requestIdOf } from '@windlass/service/observe/request-context.ts'
import { problems } from '@windlass/contracts/problems.ts'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers a request that goes nowhere: a page for people, a problem document for programs. */
export function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { headers, body } = render(request, problem)
  // The rest of a body that nobody reads would be taken for the next request.
  const unread = !request.complete
  response.writeHead(problem.status, { ...headers, ...(unread ? { connection: 'close' } : {}) })
  response.end(request.method === 'HEAD' ? undefined : body)
  if (unread) request.resume()
}

/** The same for a connection that wanted to become a WebSocket. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex, problem: Problem): void {
  if (!socket.writable) return
  const { headers, body } = render(request, problem)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`)
}

function render(
  request: IncomingMessage,
  problem: Problem,
): { headers: Record<string, string>; body: string } {
  const id = requestIdOf(request.headers)
  const people = /\btext\/html\b/.test(request.headers.accept ?? '')
  const body = people ? page(problem) : JSON.stringify(problemDocument(problem, id))
  return {
    body,
    headers: {
      'content-type': people ? 'text/html; charset=utf-8' : 'application/problem+json',
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      vary: 'accept',
      'x-request-id': id,
      ...problem.extra.headers,
    },
  }
}

function page(problem: Problem): string {
  const title = escape(problems[problem.code].title)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.5rem; margin: 0 0 .5rem }
  p { margin: 0; opacity: .8 }
  small { display: block; margin-top: 2rem; opacity: .6 }
</style>
<main>
<h1>${title}</h1>
<p>${escape(problem.message)}</p>
<small>Windlass reverse proxy · ${problem.status}</small>
</main>
</html>
`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replace(/[&<>"]/g, character => escapes[character] ?? '')
