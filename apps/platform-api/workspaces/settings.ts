import type { Client } from '@windlass/client/client.ts'
import * as contracts from '@windlass/contracts/anchor/anchor-settings.ts'
import type { AnchorSettings, SettingsHistory } from '@windlass/contracts/anchor/anchor-settings.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import Value from 'typebox/value'
import { requireManager } from '../anchors/access.ts'
import { findAnchor, storeSettings } from '../anchors/anchors.ts'
import { enqueueSync } from '../anchors/registry.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import { anchorServerOf, clientOfAnchor, fromAnchor } from './anchor-server.ts'

/** Settings of an anchor, which its business server keeps. Changes are owners' and admins', and audited. */
export function settingsRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  const managed = async (userId: string, anchorId: string): Promise<Client> => {
    await requireManager(db, userId, anchorId)
    return anchorServerOf(deps, userId, anchorId)
  }
  on(contracts.getWorkspaceSettings).serve(async ({ params, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(contracts.getSettings))
  })
  on(contracts.setWorkspaceSettings).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await managed(principal.userId, anchorId)
    const [before] = (await fromAnchor(server.call(contracts.getSettings))).history
    // Compared with the very version that it changes: another one may come in between.
    if (before?.version !== body.version || !onlyCloses(before.settings, body.settings))
      await requireConfirmed(db, principal.sessionId)
    const by = `operator:${principal.userId}`
    // The copy follows also if this process dies between the two databases.
    await enqueue(db, READ_SETTINGS_TOPIC, newId('settings'), { anchorId, after: body.version })
    const set = await fromAnchor(server.call(contracts.setSettings, { body: { ...body, by } }))
    await keep(deps, anchorId, set)
    const act = { actor: by, action: 'settings.changed', subject: `anchor:${anchorId}` }
    const details = { version: set.history[0]?.version, ...changes(before?.settings, body.settings) }
    await db.transaction().execute(tx => record(tx, { ...act, details }, deps.clock.now()))
    return set
  })
  on(contracts.uploadWorkspaceLogo).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await managed(principal.userId, anchorId)
    const by = `operator:${principal.userId}`
    const logo = await fromAnchor(server.call(contracts.uploadLogo, { body: { ...body, by } }))
    const act = { actor: by, action: 'logo.uploaded', subject: `anchor:${anchorId}`, details: { ...logo } }
    await db.transaction().execute(tx => record(tx, act, deps.clock.now()))
    return answer(201, logo)
  })
  on(contracts.setWorkspaceCustomerTier).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await managed(principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    const by = `operator:${principal.userId}`
    const { tier, before } = await fromAnchor(
      server.call(contracts.setCustomerTier, { params: { id }, body: { ...body, by } }),
    )
    const act = { actor: by, action: 'customer.tier-changed', subject: `anchor:${anchorId}` }
    const details = { customerId: id, before, after: tier, reason: body.reason }
    await db.transaction().execute(tx => record(tx, { ...act, details }, deps.clock.now()))
    return { tier }
  })
}

/**
 * Whether a change only pauses or switches rails off: an emergency must not wait for a code. Customers read the message of
 * a pause, so it must be a standard one, or the one that was there.
 */
function onlyCloses(before: AnchorSettings, after: AnchorSettings): boolean {
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const rest = ({ fees, limits, approvals, branding }: AnchorSettings) => ({
    ...{ fees, limits, approvals, branding },
  })
  // A rail that is not named is on.
  const isOn = ({ rails }: AnchorSettings, name: string, side: 'deposits' | 'withdrawals') =>
    rails.find(rail => rail.name === name)?.[side] ?? true
  return (
    same(rest(before), rest(after)) &&
    (['deposits', 'withdrawals'] as const).every(
      side =>
        pauses(before.paused[side], after.paused[side]) &&
        before.rails.every(({ name, [side]: was }) => was || !isOn(after, name, side)) &&
        after.rails.every(({ name, [side]: is }) => isOn(before, name, side) || !is),
    )
  )
}

const pauses = (before: string | null, after: string | null): boolean =>
  after === before || (after !== null && contracts.pauseMessageOf(after) !== undefined)

/** The parts that differ, before and after, for the audit log. */
function changes(before: AnchorSettings | undefined, after: AnchorSettings) {
  const parts = ['fees', 'limits', 'approvals', 'rails', 'paused', 'branding'] as const
  const changed = parts.filter(part => JSON.stringify(before?.[part]) !== JSON.stringify(after[part]))
  const of = (settings: AnchorSettings | undefined) =>
    Object.fromEntries(changed.map(part => [part, settings?.[part] ?? null]))
  return { before: of(before), after: of(after) }
}

/**
 * Keeps the platform's copy and sends it to the aggregator, unless a newer one is known. Emails and the registry show it, so
 * an anchor's server cannot say anything but settings: throws `dependency-unavailable`.
 */
async function keep(deps: Deps, anchorId: string, { history }: SettingsHistory): Promise<void> {
  const [newest] = history
  if (!newest || newest.version === 0) return
  if (!Value.Check(contracts.SettingsVersion, newest))
    throw unavailable('The anchor', new Error('its settings have another form'))
  await deps.database.db.transaction().execute(async tx => {
    if (await storeSettings(tx, anchorId, newest.version, newest.settings)) await enqueueSync(tx, anchorId)
  })
}

export const READ_SETTINGS_TOPIC = 'read-settings'

/** A change that is not there after so many tries was not made. */
const TRIES = 6

/** Reads an anchor's settings after a change was sent to it, whether or not its answer came. */
export function readSettings(deps: Deps) {
  return async ({ payload, attempt }: OutboxMessage): Promise<void> => {
    const { anchorId, after } = payload as { anchorId: string; after: number }
    const anchor = await findAnchor(deps.database.db, anchorId)
    if (!anchor || anchor.status !== 'active' || Number(anchor.settings_version) > after) return
    const set = await clientOfAnchor(deps, anchor).call(contracts.getSettings)
    await keep(deps, anchorId, set)
    if ((set.history[0]?.version ?? 0) <= after && attempt < TRIES)
      throw new Error('the anchor does not have the change yet')
  }
}
