import type { Endpoint, EndpointShape } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Answer } from '@windlass/service/http/answer.ts'
import type { Call, Handler } from '@windlass/service/http/endpoint-route.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { auditedActs, readings, type AuditedAct } from './acts.ts'

/** After this a server that began an act no longer does it. */
const ENDS_WITHIN_MS = 300_000

/**
 * Serves endpoints so that what a key changes is written down before it is done, for the platform's audit log. Throws at
 * start for one of which nothing is written, so that none is forgotten.
 */
export const withKeyActs =
  (on: On, deps: Deps): On =>
  endpoint => ({
    serve: handler => {
      if (!isAct(endpoint)) return on(endpoint).serve(handler)
      const act = auditedActs.get(endpoint)
      if (!act) throw new Error(`${endpoint.method} ${endpoint.path} says nothing to the audit log`)
      on(endpoint).serve(recorded(deps, act, handler))
    },
  })

/** Whether what a key does by this endpoint is written down: it changes something, or reads a bank's file. */
const isAct = (endpoint: Endpoint): boolean =>
  endpoint.realm === 'developer' &&
  (auditedActs.has(endpoint) || (endpoint.method !== 'GET' && !readings.has(endpoint)))

function recorded<S extends EndpointShape>(deps: Deps, act: AuditedAct, handler: Handler<S>): Handler<S> {
  const { db } = deps.database
  return async call => {
    const asked = act.asked(call as unknown as Call<EndpointShape>)
    const id = await begin(deps, call.principal as Principals['developer'], act.action, asked)
    deps.faults.at('key-act:begun')
    const result = await Promise.resolve()
      .then(() => handler(call))
      .catch(async (error: unknown) => {
        // It was refused, and changed nothing.
        if (error instanceof Problem && error.status < 500)
          await db.deleteFrom('key_acts').where('id', '=', id).execute()
        throw error
      })
    const answer: unknown = result instanceof Answer ? result.body : result
    const details = { ...asked, ...act.answered?.(answer) }
    await db
      .updateTable('key_acts')
      .set({ state: 'done', details: JSON.stringify(details), next_try_at: deps.clock.now() })
      .where('id', '=', id)
      .execute()
    deps.wake.emit('keyActs')
    return result
  }
}

async function begin(
  { database: { db }, clock }: Deps,
  { keyId }: Principals['developer'],
  action: string,
  details: Record<string, unknown>,
): Promise<string> {
  const at = clock.now()
  const { id } = await db
    .insertInto('key_acts')
    .values({
      key_id: keyId,
      action,
      details: JSON.stringify(details),
      at,
      next_try_at: new Date(at.getTime() + ENDS_WITHIN_MS),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
