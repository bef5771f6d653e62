import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

const SESSION_COOKIE = /(?:^|;)\s*(ns_[a-z]+)\s*=/g

/** A second cookie of the same name may come from another subdomain: which one is ours cannot be known. */
export function refuseDuplicateCookies(request: FastifyRequest): void {
  const names = [...(request.headers.cookie ?? '').matchAll(SESSION_COOKIE)].map(match => match[1])
  if (new Set(names).size !== names.length) {
    throw new Problem(
      'duplicate-cookie',
      'The same session cookie was sent twice. Clear cookies and sign in again.',
    )
  }
}

/**
 * Cross-site request forgery: a write that carries a session cookie is refused when its Origin is not one of
 * ours, or when the browser says that it comes from another site. Callers that are not browsers send neither.
 */
export function refuseForeignOrigin(request: FastifyRequest, origins: readonly string[]): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if ((request.headers.cookie ?? '').search(SESSION_COOKIE) < 0) return
  const origin = request.headers.origin
  const site = request.headers['sec-fetch-site']
  const foreign =
    origin !== undefined
      ? !origins.includes(origin)
      : site !== undefined && site !== 'same-origin' && site !== 'none'
  if (foreign)
    throw new Problem('forbidden-origin', 'Writes with a session cookie are accepted from our consoles only.')
}
