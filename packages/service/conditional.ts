import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { Answer } from './answer.ts'

/**
 * The answer with its ETag, or 304 without a body where the client has it already (RFC 9110, 13.1.2). It may be kept, and
 * is asked for again before each use.
 */
export function conditional(request: FastifyRequest, result: Answer<unknown>): Answer<unknown> {
  const hash = createHash('sha256').update(JSON.stringify(result.body)).digest('base64url').slice(0, 22)
  const headers = { ...result.headers, etag: `W/"${hash}"`, 'cache-control': 'no-cache' }
  const known = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  const isKnown = known.includes('*') || known.includes(`"${hash}"`)
  return isKnown
    ? new Answer(304, undefined, { headers })
    : new Answer(result.status, result.body, { headers })
}
