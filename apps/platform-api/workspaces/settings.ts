import type { Client } from '@windlass/client/client.ts'
import * as contracts from '@windlass/contracts/anchor/anchor-settings.ts'
import type {
  AnchorSettings,
  SettingsHistory,
  SettingsVersion,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Call } from '@windlass/service/http/endpoint-route.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { isDeepStrictEqual } from 'node:util'
import Value from 'typebox/value'
import { findAnchor, storeSettings } from '../anchors/anchors.ts'
import { enqueueSync } from '../anchors/registry.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import type { PlatformDb } from '../tables.ts'
import { clientOfAnchor, fromAnchor } from './anchor-server.ts'

type Change = Call<typeof contracts.setWorkspaceSettings>

/**
 * The settings that a change starts from. Asks for a confirmation unless it only closes. The platform's copy follows also if
 * this process dies between the two databases.
 */
export async function prepareSettings(
  { database: { db } }: Deps,
  { params: { anchorId }, body, principal }: Change,
  server: Client,
): Promise<SettingsVersion | undefined> {
  const [before] = (await fromAnchor(server.call(contracts.getSettings))).history
  // Compared with the very version that it changes: another one may come in between.
  if (before?.version !== body.version || !onlyCloses(before.settings, body.settings))
    await requireConfirmed(db, principal.sessionId)
  await enqueue(db, READ_SETTINGS_TOPIC, newId('settings'), { anchorId, after: body.version })
  return before
}

/**
 * Whether a change only pauses or switches rails off: an emergency must not wait for a code. Customers read the message of
 * a pause, so it must be a standard one, or the one that was there.
 */
function onlyCloses(before: AnchorSettings, after: AnchorSettings): boolean {
  const rest = (settings: AnchorSettings) => ({ ...settings, rails: null, paused: null })
  // A rail that is not named is on.
  const isOn = ({ rails }: AnchorSettings, name: string, side: 'deposits' | 'withdrawals') =>
    rails.find(rail => rail.name === name)?.[side] ?? true
  return (
    isDeepStrictEqual(rest(before), rest(after)) &&
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
export function changesOf(before: AnchorSettings | undefined, after: AnchorSettings) {
  const parts = Object.keys({ ...before, ...after }) as (keyof AnchorSettings)[]
  const changed = parts.filter(part => !isDeepStrictEqual(before?.[part], after[part]))
  const of = (settings: AnchorSettings | undefined) =>
    Object.fromEntries(changed.map(part => [part, settings?.[part] ?? null]))
  return { before: of(before), after: of(after) }
}

/**
 * Keeps the platform's copy and sends it to the aggregator, unless a newer one is known. Emails and the registry show it, so
 * an anchor's server cannot say anything but settings: throws `dependency-unavailable`.
 */
export async function keepSettings(
  _: unknown,
  tx: PlatformDb,
  { answer, anchor }: { answer: SettingsHistory; anchor: { id: string } },
): Promise<void> {
  const [newest] = answer.history
  if (!newest || newest.version === 0) return
  if (!Value.Check(contracts.SettingsVersion, newest))
    throw unavailable('The anchor', new Error('its settings have another form'))
  if (await storeSettings(tx, anchor.id, newest.version, newest.settings)) await enqueueSync(tx, anchor.id)
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
    await deps.database.db.transaction().execute(tx => keepSettings(deps, tx, { answer: set, anchor }))
    if ((set.history[0]?.version ?? 0) <= after && attempt < TRIES)
      throw new Error('the anchor does not have the change yet')
  }
}
