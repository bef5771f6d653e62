import type { ProvisionedAnchor } from '@windlass/contracts/control-plane.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { Problem, unavailable } from '@windlass/service/problem.ts'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { lockAnchor, type AnchorRow } from './queries.ts'
import { register, registrationOf, summarySecretContext } from './registry.ts'
import { nextStatus } from './status.ts'
import { SYNC_TOPIC } from './sync.ts'

/**
 * Makes an anchor that stands active, once the aggregator has acknowledged it; may be repeated. Throws
 * `anchor-wrong-state`, and `dependency-unavailable` where the aggregator is down: nothing is active then.
 */
export async function activateAnchor(deps: Deps, anchorId: string, stood: ProvisionedAnchor): Promise<void> {
  const { db } = deps.database
  const anchor = await db.transaction().execute(tx => keepStanding(deps, tx, anchorId, stood))
  try {
    await register(deps, {
      ...registrationOf(anchor, deps.sealer),
      status: 'active',
      treasury_capacity: stood.treasuryCapacity,
    })
  } catch (error) {
    throw unavailable('The aggregator', error)
  }
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
  // Suspended while the aggregator answered: it has to be told so again.
  if (anchor && !nextStatus(anchor.status, 'activate'))
    await enqueue(tx, SYNC_TOPIC, `${anchorId}:${crypto.randomUUID()}`, { anchorId })
  if (!anchor || anchor.status === 'active' || !nextStatus(anchor.status, 'activate')) return
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
