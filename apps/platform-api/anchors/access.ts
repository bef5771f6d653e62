import { managerSince, roleIn, roleLostAt } from '../operators/organizations.ts'
import { anchorOfSecret, findAnchor } from './anchors.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { mayCall, type Act } from '@windlass/contracts/access.ts'
import type { MemberRole, Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import type { On } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import { requireConfirmed } from '../sessions/sessions.ts'

/**
 * An anchor with the operator's role in its organization. Throws `anchor-not-found` , also for another
 * organization's anchor.
 */
export async function requireMember(db: PlatformDb, userId: string, anchorId: string) {
  const anchor = await findAnchor(db, anchorId)
  const role = anchor && (await roleIn(db, userId, anchor.organization_id))
  if (!role) throw new Problem('anchor-not-found', 'None of your organizations has an anchor with this id.')
  return { anchor, role }
}

/** As {@link requireMember}, and an owner or admin. Throws `forbidden`. */
export async function requireManager(db: PlatformDb, userId: string, anchorId: string) {
  const member = await requireMember(db, userId, anchorId)
  requireMay(member.role, { method: 'POST', who: 'admin' })
  return member
}

/** Throws `forbidden` where the table of access gives the role no right to it. */
export function requireMay(role: MemberRole, act: Act): void {
  if (mayCall(role, act)) return
  const { who = 'member', area } = act
  if (who === 'owner') throw new Problem('forbidden', 'Only owners of the organization can do this.')
  const people =
    area === undefined || area === 'any' ? 'owners and admins' : `owners, admins and people of ${area}`
  throw new Problem(
    'forbidden',
    who === 'admin' || area ? `Only ${people} of the organization can do this.` : 'Auditors change nothing.',
  )
}

const SETTLED_AFTER_MS = 24 * 60 * 60 * 1_000
const AFTER_LOSS_MS = 7 * SETTLED_AFTER_MS

/**
 * Someone who may do what needs a second person does it only after a day: one person could otherwise add a second one, and
 * approve what they began. Who got the role after another person lost theirs does it a week after that: a stolen owner's
 * session could otherwise put its own person in the place of those who would see it. Throws `second-person-needed`.
 */
export async function requireSettled(db: PlatformDb, userId: string, anchorId: string, now: Date) {
  const { anchor } = await requireMember(db, userId, anchorId)
  const since = await managerSince(db, userId, anchor.organization_id)
  if (since === null) return
  const lost = await roleLostAt(db, anchor.organization_id)
  const settled = since.getTime() + SETTLED_AFTER_MS
  const from = lost && lost <= since ? Math.max(settled, lost.getTime() + AFTER_LOSS_MS) : settled
  if (now.getTime() >= from) return
  throw new Problem(
    'second-person-needed',
    `You got your role recently. You can do what needs a second person from ${new Date(from).toISOString()} on. Until then, ask an owner or admin who had the role before.`,
  )
}

/**
 * `x-service-secret`: the platform services' own, or one anchor's. An anchor's is looked up by its hash, so that no
 * comparison reveals anything; the secret of a suspended or removed anchor is refused.
 */
export function internalGuard({ config, database }: Deps): Guard<'internal'> {
  return async request => {
    const given = request.headers['x-service-secret']
    if (typeof given === 'string' && sameSecret(given, config.serviceSecret)) return { kind: 'platform' }
    const anchorId =
      typeof given === 'string' && given.length >= 16
        ? await anchorOfSecret(database.db, tokenHash(given))
        : null
    if (!anchorId) throw new Problem('unauthenticated', 'Send a service secret in x-service-secret.')
    return { kind: 'anchor', anchorId }
  }
}

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
