import type { ProvisionedAnchor } from '@windlass/contracts/control-plane.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { Problem } from '@windlass/service/problem.ts'
import { randomUUID } from 'node:crypto'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { lockAnchor, type AnchorRow } from './queries.ts'
import { register, registrationOf, summarySecretContext } from './registry.ts'
import { nextStatus } from './status.ts'
import { SYNC_TOPIC } from './sync.ts'

const registered = asNeighbour('The aggregator')

/**
 * Makes an anchor that stands active, once the aggregator has acknowledged it; may be repeated. Throws
 * `anchor-wrong-state`, and `dependency-unavailable` where the aggregator is down: nothing is active then.
 */
export async function activateAnchor(deps: Deps, anchorId: string, stood: ProvisionedAnchor): Promise<void> {
  const { db } = deps.database
  const anchor = await db.transaction().execute(tx => keepStanding(deps, tx, anchorId, stood))
  const registration = registrationOf({ ...anchor, status: 'active' }, deps.sealer)
  await registered(register(deps, { ...registration, treasury_capacity: stood.treasuryCapacity }))
  await db.transaction().execute(tx => markActive(deps, tx, anchorId))
}

async function keepStanding(
  { sealer }: Deps,
  tx: PlatformDb,
  anchorId: string,
  stood: ProvisionedAnchor,
): Promise<AnchorRow> {
  demandActivatable(await lockAnchor(tx, anchorId))
  return tx
    .updateTable('anchors')
    .set({
      issuer: stood.issuer,
      distribution: stood.distribution,
      signing_key: stood.signingKey,
      api_url: stood.apiUrl,
      treasury_capacity: stood.treasuryCapacity,
      summary_secret: sealer.seal(stood.summarySecret, summarySecretContext(anchorId)),
      service_secret_hash: Buffer.from(stood.serviceSecretHash, 'hex'),
    })
    .where('id', '=', anchorId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function markActive({ clock }: Deps, tx: PlatformDb, anchorId: string): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  if (!anchor || anchor.status === 'active') return
  if (!nextStatus(anchor.status, 'activate')) {
    // Suspended while the aggregator answered: it has to be told so again.
    await enqueue(tx, SYNC_TOPIC, `${anchorId}:${randomUUID()}`, { anchorId })
    return
  }
  const now = clock.now()
  await tx
    .updateTable('anchors')
    .set({ status: 'active', activated_at: now })
    .where('id', '=', anchorId)
    .execute()
  await record(tx, { actor: 'system', action: 'anchor.active', subject: `anchor:${anchorId}` }, now)
}

function demandActivatable(anchor: AnchorRow | undefined): asserts anchor is AnchorRow {
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  if (!nextStatus(anchor.status, 'activate')) {
    throw new Problem(
      'anchor-wrong-state',
      `The anchor is ${anchor.status}: it cannot become active this way.`,
    )
  }
}
