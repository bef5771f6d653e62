import { createClient } from '@windlass/client/client.ts'
import { listActivity, listRoutes, type ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { copiesOf } from '@windlass/service/outbound/copies.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'

const ANSWERS_WITHIN_MS = 2_000

/**
 * The routes of anchors that the other copies of this proxy serve, for one that starts without a file; none where no other
 * answers. What changes until the control plane sees this copy, its next round sets right.
 */
export async function routesOfCopies(
  { copiesAt, serviceSecret }: Pick<Config, 'copiesAt' | 'serviceSecret'>,
  logger: FastifyBaseLogger,
): Promise<ProxyRoute[]> {
  if (copiesAt === undefined) return []
  const copies = await copiesOf(copiesAt).catch(() => [])
  const asked = copies.map(baseUrl => routesOf(baseUrl, serviceSecret).catch(() => null))
  const answers = (await Promise.all(asked)).filter(routes => routes !== null)
  const [routes = []] = answers.toSorted((one, other) => other.length - one.length)
  logger.info({ copies: answers.length, routes: routes.length }, 'read the routes of other copies')
  return routes
}

async function routesOf(baseUrl: string, serviceSecret: string): Promise<ProxyRoute[]> {
  const other = createClient({ baseUrl, headers: { 'x-service-secret': serviceSecret } })
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS)
  // Only hosts of anchors have activity: those of the platform are in settings.
  const anchors = new Set((await other.call(listActivity, { signal })).map(({ host }) => host))
  return (await other.call(listRoutes, { signal })).filter(({ host }) => anchors.has(host))
}
