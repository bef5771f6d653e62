import type { FastifyRequest } from 'fastify'
import { foreignHost } from './problems.ts'

const ours = /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Refuses a request that came under a name that is not this machine's: a web site whose name is pointed at loopback
 * (DNS rebinding) would otherwise be of the same origin as this network.
 * @throws HorizonProblem
 */
export function requireOwnHost(request: FastifyRequest, allowed: readonly string[]): void {
  const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  if (!ours.test(host) && !allowed.includes(host)) throw foreignHost()
}
