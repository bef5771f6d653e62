import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { browserRealms, sessionCookies, type BrowserRealm } from '@windlass/contracts/realm.ts'
import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

const SESSION_COOKIE = /(?:^|;)\s*(ns_[a-z]+)\s*=/g

/** Where each realm's console is, such as `http://localhost:4001`. */
export type ConsoleOrigins = Readonly<Record<BrowserRealm, readonly string[]>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose console alone may write to the endpoint with a session cookie; absent: everyone's. */
    console?: BrowserRealm | undefined
  }
}

/** Whose console an endpoint is for: its realm's, or that of the session that it begins, renews or ends. */
export function consoleOf({ realm, cookies = [] }: Endpoint): BrowserRealm | undefined {
  const [cookie] = cookies
  return browserRealms.find(each => each === realm) ?? (cookie && sessionCookies[cookie])
}

/** A second cookie of the same name may come from another subdomain: which one is ours cannot be known. */
export function refuseDuplicateCookies({ headers: { cookie } }: FastifyRequest): void {
  if (cookie === undefined) return
  const names = [...cookie.matchAll(SESSION_COOKIE)].map(match => match[1])
  if (new Set(names).size !== names.length) {
    throw new Problem(
      'duplicate-cookie',
      'The same session cookie was sent twice. Clear cookies and sign in again.',
    )
  }
}

/**
 * Cross-site request forgery: a write that carries a session cookie is refused when its Origin is not the console that the
 * endpoint is for, or when the browser says that it comes from another site. Callers that are not browsers send neither.
 */
export function refuseForeignOrigin(request: FastifyRequest, origins: Partial<ConsoleOrigins>): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if ((request.headers.cookie ?? '').search(SESSION_COOKIE) < 0) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const own = request.routeOptions.config.console
  const accepted = own ? (origins[own] ?? []) : Object.values(origins).flat()
  const foreign =
    origin !== undefined
      ? !accepted.includes(origin)
      : site !== undefined && site !== 'same-origin' && site !== 'none'
  if (!foreign) return
  const place = own ? `the console of the realm ${own}` : 'our consoles'
  throw new Problem('forbidden-origin', `Writes with a session cookie are accepted from ${place} only.`)
}
