import type { AnchorEvent } from '@windlass/contracts/platform/anchor-life.ts'
import { isPending } from '@windlass/service/work/outbox.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { alone } from '../alone.ts'
import { endAuthorization } from '../anchors/accounts.ts'
import { reportEvent } from '../anchors/events.ts'
import { listRotating, lockAnchor, openAnchor, setRotation, type Anchor } from '../anchors/records.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { isRemoved } from '../removal/records.ts'
import { writeConfiguration } from '../servers/configuration.ts'
import { endSessions } from '../servers/database.ts'
import { sendAddress } from '../servers/pair.ts'
import { prepareLogins } from '../servers/prepare.ts'
import { startServers, stopAll } from '../servers/servers.ts'
import { findOpenUpgrade } from '../servers/upgrades/records.ts'
import { endSleep, holdRequests, untilLive } from '../sleep/suspend.ts'
import type { SecretRotation } from '../tables.ts'
import { replaceSecrets } from './groups.ts'

const REPORTED_WITHIN_MS = 10_000

/** Anchors whose secrets are to be rotated now: an upgrade that has begun goes first. */
export async function listDueRotations({ database: { db } }: Deps): Promise<string[]> {
  const ids = await listRotating(db)
  const upgrades = await Promise.all(ids.map(id => findOpenUpgrade(db, id)))
  return ids.filter((_, index) => (upgrades[index]?.state ?? 'waiting') === 'waiting')
}

/**
 * Continues the rotation of an anchor's own secrets. While its servers are stopped, requests wait at the stand-in; the new
 * secrets are stored, given to everyone who checks them, and used by the servers that start. May be interrupted at any
 * point and run again.
 */
export async function runRotation(deps: Deps, anchorId: string, signal: AbortSignal): Promise<void> {
  const act = (lost: AbortSignal) => rotate(deps, anchorId, AbortSignal.any([signal, lost]))
  await alone(deps, { of: 'anchor', id: anchorId }, act, { wait: true })
}

async function rotate(deps: Deps, anchorId: string, signal: AbortSignal): Promise<void> {
  const opened = await openAnchor(deps, anchorId)
  const { anchor, plan, vault } = opened
  const { rotation } = anchor
  if (!rotation) return
  if (await isRemoved(deps.database.db, anchorId)) return setRotation(deps.database.db, anchorId, null)
  if (anchor.running) await holdRequests(deps, opened)
  await untilReported(deps, anchorId, signal)
  deps.faults.at('rotation:held')
  await stopAll(deps, anchorId)
  await storeSecrets(deps, anchor, rotation, vault)
  deps.faults.at('rotation:replaced')
  await writeConfiguration(deps, plan, vault)
  await prepareLogins(deps, plan, vault, anchor.slot)
  // A password that is not valid any more does not end what was opened with it.
  await endSessions(deps, anchorId)
  await untilReported(deps, anchorId, signal)
  deps.faults.at('rotation:prepared')
  if (anchor.running) {
    await startServers(deps, plan, vault, { signal })
    await untilLive(deps, anchorId)
    deps.faults.at('rotation:started')
    await endSleep(deps, await openAnchor(deps, anchorId))
  } else await endAuthorization(deps, anchorId)
  await finish(deps, anchorId, rotation)
}

/** Stores the new secrets once. The platform gets those that it checks. */
async function storeSecrets(
  { database: { db } }: Deps,
  { id, slot }: Anchor,
  rotation: SecretRotation,
  vault: Vault,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const { rotation: now } = await lockAnchor(tx, id)
    if (now?.replaced !== false) return
    const upgrade = await findOpenUpgrade(tx, id)
    if (upgrade && upgrade.state !== 'waiting') throw new Error('an upgrade of the anchor is under way')
    await replaceSecrets(tx, vault, { names: rotation.groups, slot })
    await setRotation(tx, id, { ...rotation, replaced: true })
    await sendAddress(tx, id)
  })
}

/** Waits a while until the platform has what it is to know. One that is down gets it later from the outbox. */
async function untilReported({ database }: Deps, anchorId: string, signal: AbortSignal): Promise<void> {
  for (const end = performance.now() + REPORTED_WITHIN_MS; performance.now() < end; await sleep(50)) {
    signal.throwIfAborted()
    if (!(await isPending(database.db, 'moved', { anchorId }))) return
  }
}

async function finish(deps: Deps, anchorId: string, { id, groups }: SecretRotation): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const { rotation } = await lockAnchor(tx, anchorId)
    if (!rotation) return
    const event: AnchorEvent = {
      id,
      at: deps.clock.now().toISOString(),
      kind: 'secrets-rotated',
      detail: `New secrets are in use: ${groups.join(', ')}.`,
    }
    await setRotation(tx, anchorId, null)
    await reportEvent(tx, anchorId, event)
  })
}
