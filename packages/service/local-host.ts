import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

const LOCAL =
  /^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i

/** Whether a Host header names this machine: `localhost`, `*.localhost` or a loopback address. */
export const isLocalHost = (host: string | undefined): boolean => host !== undefined && LOCAL.test(host)

/**
 * Keeps a page for this machine from other sites whose names resolve here (DNS rebinding). For use as a hook.
 * Throws `foreign-host`.
 */
export async function refuseForeignHost(request: FastifyRequest): Promise<void> {
  if (isLocalHost(request.headers.host)) return
  throw new Problem('foreign-host', 'Open this address as localhost, on the machine it runs on.')
}
