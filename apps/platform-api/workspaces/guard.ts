import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { On } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import { requireMay, requireMember, requireSettled } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { requireConfirmed } from '../sessions/sessions.ts'

/**
 * Serves endpoints so that what is about an anchor is done by whom the contract says. Who may not is refused before the body
 * is read; where the body decides who may, it is small.
 */
export const withFounders =
  (on: On, deps: Deps): On =>
  endpoint => ({
    serve: handler => {
      const require = (call: unknown) => requireFounder(deps, endpoint, call as Asked)
      if (!endpoint.who) return on(endpoint).serve(handler)
      if (endpoint.secondPerson !== 'to-approve') return on(endpoint).serve(handler, require)
      on(endpoint).serve(async call => {
        await require(call)
        return handler(call)
      })
    },
  })

interface Asked {
  params: { anchorId: string } & Record<string, string>
  body?: { approve?: boolean }
  principal: Principals['operator']
}

/** Throws `anchor-not-found`, `forbidden`, `confirmation-needed`, `second-person-needed`. */
async function requireFounder(
  deps: Deps,
  act: Endpoint,
  { params, body, principal: { userId, sessionId } }: Asked,
): Promise<void> {
  const { db } = deps.database
  const { anchorId } = params
  const { role } = await requireMember(db, userId, anchorId)
  requireMay(role, act)
  if (act.confirm === true) await requireConfirmed(db, sessionId)
  const refuses = act.secondPerson === 'to-approve' && body?.approve === false
  if (act.secondPerson && !refuses) await requireSettled(db, userId, anchorId, deps.clock.now())
  if (role === 'auditor') await traceRead(deps, userId, act, params)
}

/** Writes down what an auditor reads, once a day, before they do. */
async function traceRead(
  { database, clock }: Deps,
  userId: string,
  { method, path }: Endpoint,
  { anchorId, ...ids }: Asked['params'],
): Promise<void> {
  const now = clock.now()
  const what = Object.entries(ids).reduce((text, [name, id]) => text.replace(`:${name}`, id), path)
  const key = {
    user_id: userId,
    anchor_id: anchorId,
    what: `${method} ${what}`,
    day: now.toISOString().slice(0, 10),
  }
  await database.db.transaction().execute(async tx => {
    const first = await tx
      .insertInto('read_traces')
      .values(key)
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (first.numInsertedOrUpdatedRows === 0n) return
    const shown = what.replace('/api/v1/anchors/:anchorId', '') || '/'
    const entry = { actor: `operator:${userId}`, action: 'auditor.read', subject: `anchor:${anchorId}` }
    await record(tx, { ...entry, details: { what: shown } }, now)
  })
}

/** Forgets what was read on other days: the audit log has it. */
export async function pruneTraces(db: PlatformDb): Promise<void> {
  await sql`delete from read_traces where day < now() - interval '2 days'`.execute(db)
}
