import type { Guard } from '@windlass/service/http/realms.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { ApiRequestsTable } from './tables.ts'

/** What waits to be stored; beyond these the oldest are dropped. */
const MOST_WAITING = 2_000
/** Kept of the newest, and for how long. */
const MOST_KEPT = 10_000
const KEPT_DAYS = 7

type NotedRequest = Omit<ApiRequestsTable, 'id'>

/** Requests of keys that are not stored yet: a row for each would cost each request a write. */
export class ApiRequests {
  private readonly callers = new WeakMap<FastifyRequest, string>()
  private waiting: NotedRequest[] = []

  /** Notes the key of each request that the guard lets in. The platform, which reads for operators, is no key. */
  noting(guard: Guard<'developer'>): Guard<'developer'> {
    return async request => {
      const principal = await guard(request)
      if (principal.keyId !== 'platform') this.callers.set(request, principal.keyId)
      return principal
    }
  }

  watch(app: FastifyInstance, { clock }: Pick<Deps, 'clock'>): void {
    app.addHook('onResponse', async (request, reply) => {
      const key_id = this.callers.get(request)
      if (key_id === undefined) return
      this.waiting.push({
        key_id,
        method: request.method,
        path: request.routeOptions.url ?? '',
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
        request_id: request.id,
        created_at: clock.now(),
      })
      if (this.waiting.length > MOST_WAITING) this.waiting.shift()
    })
  }

  take(): NotedRequest[] {
    const taken = this.waiting
    this.waiting = []
    return taken
  }
}

/** Stores what waits. What a database does not take is lost: it is no evidence. */
export async function storeApiRequests({
  database: { db },
  apiRequests,
}: Pick<Deps, 'database' | 'apiRequests'>): Promise<void> {
  const rows = apiRequests.take()
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto('api_requests')
      .values(rows.slice(at, at + 500))
      .execute()
}

export async function pruneApiRequests({
  database: { db },
  clock,
}: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  const since = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000)
  await db
    .deleteFrom('api_requests')
    .where(where =>
      where.or([
        where('created_at', '<', since),
        where(
          'id',
          '<=',
          where.selectFrom('api_requests').select('id').orderBy('id', 'desc').offset(MOST_KEPT).limit(1),
        ),
      ]),
    )
    .execute()
}
