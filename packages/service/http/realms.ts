import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { includesRole, type AdminRole, type Principals, type Realm } from '@windlass/contracts/realm.ts'
import type { FastifyRequest } from 'fastify'
import { sameSecret } from './client-address.ts'
import { Problem } from './problem.ts'

/** Returns the caller, or throws `unauthenticated`. */
export type Guard<R extends Realm> = (request: FastifyRequest) => Principals[R] | Promise<Principals[R]>

export type Guards = { [R in Exclude<Realm, 'public'>]: Guard<R> }

/**
 * `WWW-Authenticate` (RFC 9110 §11.6.1): what a 401 asks for. Sessions and the service secret have no registered
 * scheme; browsers show no dialog for one that they do not know.
 */
export const challenges: Readonly<Record<Realm, string>> = {
  public: 'Session',
  operator: 'Session realm="operator"',
  admin: 'Session realm="admin"',
  customer: 'Session realm="customer"',
  internal: 'ServiceSecret',
  service: 'ServiceSecret',
  'anchor-admin': 'ServiceSecret',
  developer: 'Bearer realm="anchor API"',
  'anchor-server': 'Bearer realm="signer"',
  'wallet-developer': 'Bearer realm="aggregator"',
  wallet: 'Bearer realm="SEP-10"',
}

/**
 * The guard of an endpoint's realm, and of its scopes or role. Throws at start where the service has none, a developer's
 * endpoint no scope or an administrator's no role, so that none is ever forgotten.
 */
export function guardOf(
  { realm, method, path, scopes, role }: Endpoint,
  guards: Partial<Guards> | undefined,
): (request: FastifyRequest) => Principals[Realm] | Promise<Principals[Realm]> {
  if (realm === 'public') return () => null
  const guard = guards?.[realm]
  const route = `${method} ${path}`
  if (!guard) throw new Error(`${route} is in the realm ${realm}, for which this service has no guard`)
  if (realm === 'admin') return withRole(guard as Guard<'admin'>, role, route)
  if (realm !== 'developer') return guard
  if (!scopes) throw new Error(`${route} does not say which scope a key needs`)
  return async request => {
    const key = await (guard as Guard<'developer'>)(request)
    if (!scopes.some(scope => key.scopes.includes(scope)))
      throw new Problem(
        'forbidden',
        `The key lacks the scope ${scopes.join(' or ')}. Create a key with it in the founder console (API keys).`,
      )
    return key
  }
}

function withRole(guard: Guard<'admin'>, needed: AdminRole | undefined, route: string): Guard<'admin'> {
  if (!needed) throw new Error(`${route} does not say which role an administrator needs`)
  return async request => {
    const admin = await guard(request)
    if (includesRole(admin.role, needed)) return admin
    const detail = `This needs the role ${needed}; yours is ${admin.role}. An owner of the platform can change it.`
    throw new Problem('role-needed', detail, { extensions: { neededRole: needed } })
  }
}

/** `x-service-secret` must be the platform services' own. */
export function serviceSecretGuard(secret: string): Guard<'service'> {
  return request => {
    const given = request.headers['x-service-secret']
    if (typeof given !== 'string' || !sameSecret(given, secret)) {
      throw new Problem('unauthenticated', 'Send the service secret in x-service-secret.')
    }
    return { kind: 'platform' }
  }
}
