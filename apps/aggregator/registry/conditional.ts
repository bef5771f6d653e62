import { answer, type Answer } from '@windlass/service/answer.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'

/** The answer with its ETag, or 304 without a body where the client has it already (RFC 9110, 13.1.2). */
export function conditional<T>(request: FastifyRequest, body: T): Answer<T> {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)
  const etag = `W/"${hash}"`
  const headers = { etag, 'cache-control': 'no-cache' }
  const known = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  const isKnown = known.includes('*') || known.includes(`"${hash}"`)
  return isKnown ? answer(304, undefined as T, { headers }) : answer(200, body, { headers })
}
