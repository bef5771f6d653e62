import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import type { ProvisionedAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import type { PlatformDb } from '../tables.ts'
import { recordNotification } from '../notifications/record.ts'
import { type AnchorRow, lockAnchor, notifiedAnchor, refuseTakenSecret } from './anchors.ts'
import { storedSecret } from './proof-keys.ts'
import { enqueueSync, register, registrationOf, summarySecretContext } from './registry.ts'
import { nextStatus } from './status.ts'

const registered = passProblems('The aggregator')

/**
 * Activates a provisioned anchor, once the aggregator has acknowledged it; may be repeated, also after the anchor
 * moved. One that was suspended stays so. Throws `anchor-wrong-state` for a removed one,
 * `dependency-unavailable` where the aggregator is down (nothing is active then), and what the aggregator refuses.
 */
export async function activateAnchor(
  deps: Deps,
  anchorId: string,
  provisioned: ProvisionedAnchor,
): Promise<void> {
  const { db } = deps.database
  const anchor = await db.transaction().execute(tx => storeProvisioned(deps, tx, anchorId, provisioned))
  deps.faults.at('activation:kept')
  const status = nextStatus(anchor.status, 'activate') ?? anchor.status
  const registration = registrationOf({ ...anchor, status }, deps.sealer)
  await registered(
    register(deps, {
      ...registration,
      treasury_capacity: provisioned.treasuryCapacity,
      // Existing assets are topped up later.
      assets: registration.assets.map((asset, index) => (index === 0 ? asset : { ...asset, capacity: '0' })),
    }),
  )
  deps.faults.at('activation:registered')
  await db.transaction().execute(tx => markActive(deps, tx, anchorId, status))
  deps.faults.at('activation:active')
}

async function storeProvisioned(
  { sealer }: Deps,
  tx: PlatformDb,
  anchorId: string,
  provisioned: ProvisionedAnchor,
): Promise<AnchorRow> {
  const anchor = await lockAnchor(tx, anchorId)
  if (anchor?.status === 'removed') throw new Problem('anchor-wrong-state', 'The anchor was removed.')
  requireAssets(anchor, provisioned)
  return tx
    .updateTable('anchors')
    .set({
      issuer: provisioned.issuer,
      distribution: provisioned.distribution,
      signing_key: provisioned.signingKey,
      api_url: provisioned.apiUrl,
      treasury_capacity: provisioned.treasuryCapacity,
      summary_secret: sealer.seal(provisioned.summarySecret, summarySecretContext(anchorId)),
      ...storedSecret(sealer, anchorId, Buffer.from(provisioned.serviceSecretHash, 'hex')),
      asleep_since: provisioned.asleepSince ? new Date(provisioned.asleepSince) : null,
    })
    .where('id', '=', anchorId)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(refuseTakenSecret)
}

/** A control plane of an older release ignores further assets: its anchor must not be registered with them. */
function requireAssets(
  anchor: AnchorRow | undefined,
  { furtherAssets: served = 0 }: ProvisionedAnchor,
): void {
  const planned = anchor?.plan.furtherAssets?.length ?? 0
  if (served === planned) return
  const detail = `The control plane provisioned ${served} of ${planned} further assets. Upgrade it, then provision the anchor again.`
  throw new Problem('anchor-wrong-state', detail)
}

async function markActive(deps: Deps, tx: PlatformDb, anchorId: string, sent: AnchorStatus): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  if (!anchor) return
  const next = nextStatus(anchor.status, 'activate')
  // An administrator changed the status before the aggregator answered: send it again.
  if ((next ?? anchor.status) !== sent) await enqueueSync(tx, anchorId)
  if (!next) return
  const now = deps.clock.now()
  await tx
    .updateTable('anchors')
    .set({ status: next, activated_at: now })
    .where('id', '=', anchorId)
    .execute()
  const detail = `${anchor.home_domain} is active.`
  await recordNotification(deps, tx, notifiedAnchor(anchor), {
    kind: 'anchor-active',
    subject: anchorId,
    detail,
    spanish: `${anchor.home_domain} está activo.`,
  })
  await record(tx, { actor: 'system', action: `anchor.${next}`, subject: `anchor:${anchorId}` }, now)
}
