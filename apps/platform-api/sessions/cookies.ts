import type { BrowserRealm, SessionCookie } from '@windlass/contracts/realm.ts'
import type { CookieToSet } from '@windlass/service/http/answer.ts'
import type { FastifyRequest } from 'fastify'

export const SESSION_COOKIES = {
  operator: 'ns_session',
  admin: 'ns_admin',
  customer: 'ns_customer',
} as const satisfies Record<BrowserRealm, SessionCookie>

/** The operator's refresh cookie is sent only to the paths that need it. */
export const REFRESH_COOKIE = { name: 'ns_refresh', path: '/api/v1/auth' } as const

/**
 * A cookie of ours: HttpOnly, SameSite=Lax, host-only. `secure` is COOKIE_SECURE where it is set. `seconds` of 0
 * removes it.
 */
export function sessionCookie(
  name: SessionCookie,
  value: string,
  seconds: number,
  request: FastifyRequest,
  secure: boolean | undefined,
): CookieToSet {
  const path = name === REFRESH_COOKIE.name ? REFRESH_COOKIE.path : '/'
  return {
    name,
    value,
    options: {
      httpOnly: true,
      sameSite: 'lax',
      path,
      maxAge: seconds,
      secure: isSecure(name, request, secure),
    },
  }
}

// Customers' cookies are always Secure; the others except over plain http on the same machine.
function isSecure(name: SessionCookie, request: FastifyRequest, secure: boolean | undefined): boolean {
  if (name === SESSION_COOKIES.customer) return true
  return secure ?? !(request.clientProtocol === 'http' && isLoopback(request.clientHost))
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  )
}
