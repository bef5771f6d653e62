import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem, problemDocument } from './problem.ts'

/**
 * Answers what never became a request (a `clientError` of Node's HTTP server): too slow, headers too long, or not HTTP
 * at all. The answer is a problem document like any other, and the connection is closed.
 */
export function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  const problem = problemOf(error.code)
  const requestId = randomUUID()
  const body = JSON.stringify(problemDocument(problem, requestId))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function problemOf(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request-timeout', 'The request did not arrive in time.')
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      'head-too-large',
      'The request headers are larger than 16 KB. Send fewer or shorter headers.',
    )
  return new Problem('malformed-request', 'This is not a valid HTTP request.')
}
