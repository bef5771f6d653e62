import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { Answer } from './answer.ts'

/**
 * The answer with its ETag, or 304 without a body where the client has it already (RFC 9110, 13.1.2). Browsers can
 * cache public answers only: others are personal.
 */
export function conditional(
  request: FastifyRequest,
  { realm }: Endpoint,
  result: Answer<unknown>,
): Answer<unknown> {
  if (result.status !== 200) return result
  const hash = hashOf(JSON.stringify(result.body))
  const kept: Record<string, string> = realm === 'public' ? { 'cache-control': 'no-cache' } : {}
  const headers: Record<string, string> = { ...result.headers, ...kept, etag: `W/"${hash}"` }
  if (!isKnown(request, hash)) return new Answer(200, result.body, { headers })
  // There is no body to have a type.
  delete headers['content-type']
  return new Answer(304, undefined, { headers })
}

/** What a weak ETag names a text by. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Whether the client has what the hash names. */
export function isKnown(request: FastifyRequest, hash: string): boolean {
  const known = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes('*') || known.includes(`"${hash}"`)
}
