import { ProblemError } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import {
  type Registration,
  type RegistryEntry,
  listAnchors,
  registerAnchor,
  removeRegistryEntry,
} from '@windlass/contracts/registry.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { type OutboxMessage, enqueue } from '@windlass/service/outbox.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { type AnchorRow, findAnchor, registeredAnchors } from './anchors.ts'

export const summarySecretContext = (anchorId: string): string => `anchors:${anchorId}:summary-secret`

/** What the aggregator is told of an anchor that stands. Throws where it never stood. */
export function registrationOf(anchor: AnchorRow, sealer: Sealer): Registration {
  const { plan, issuer, api_url: apiUrl, summary_secret: summarySecret, signing_key: signingKey } = anchor
  if (!issuer || !apiUrl || !summarySecret) throw new Error(`anchor ${anchor.id} has not been provisioned`)
  return {
    id: anchor.id,
    slug: plan.subdomain,
    name: plan.organizationName,
    domain: plan.homeDomain,
    apiUrl,
    status: anchor.status,
    regions: plan.regions,
    assets: [{ code: plan.asset.code, issuer, anchoredTo: plan.asset.anchoredTo }],
    rails: plan.rails,
    limits: plan.limits,
    fees: plan.fees,
    settlement: plan.settlement,
    summarySecret: sealer.open(summarySecret, summarySecretContext(anchor.id)),
    ...(signingKey ? { signingKey } : {}),
  }
}

/** Registers an anchor, or tells its present state; returns once the aggregator has acknowledged. */
export async function register(
  { aggregator }: Pick<Deps, 'aggregator'>,
  registration: Registration,
): Promise<void> {
  await aggregator.call(registerAnchor, { body: registration })
}

/** Takes an anchor out of the registry, or finds that it is not in it; returns once the aggregator has acknowledged. */
export async function deregister({ aggregator }: Pick<Deps, 'aggregator'>, anchorId: string): Promise<void> {
  try {
    await aggregator.call(removeRegistryEntry, { params: { id: anchorId } })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
  }
}

export const SYNC_TOPIC = 'sync-anchor'

/** Has the control plane and the aggregator brought to the anchor's state once this transaction commits. */
export async function enqueueSync(tx: PlatformDb, anchorId: string): Promise<void> {
  await enqueue(tx, SYNC_TOPIC, `${anchorId}:${randomUUID()}`, { anchorId })
}

/**
 * Brings the control plane and the aggregator to the state that an anchor has now. Messages may overtake each other:
 * each tells what the row says when it is delivered, and looks again afterwards.
 */
export function syncAnchor(deps: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const { anchorId } = message.payload as { anchorId: string }
    let told: AnchorRow['status'] | undefined
    for (;;) {
      const anchor = await findAnchor(deps.database.db, anchorId)
      if (!anchor || anchor.status === told) return
      await deps.controlPlane.call(setAnchorRunning, {
        params: { anchorId },
        body: { running: anchor.status === 'active' },
      })
      if (anchor.status === 'removed') await deregister(deps, anchorId)
      else await register(deps, registrationOf(anchor, deps.sealer))
      told = anchor.status
    }
  }
}

/**
 * Compares the aggregator's registry with the anchors that stand, and tells again those that are missing there, differ
 * from what the platform said, or do not answer though active: the private address is not shown, so it is told again
 * on suspicion. Answers the ids told.
 */
export async function reconcileRegistry(deps: Deps): Promise<string[]> {
  const entries = await readRegistry(deps)
  const strayed = (await registeredAnchors(deps.database.db)).filter(anchor => {
    const entry = entries.get(anchor.id)
    return (
      !entry || differs(anchor, entry, deps) || (anchor.status === 'active' && !entry.current_availability)
    )
  })
  for (const { id } of strayed) await enqueueSync(deps.database.db, id)
  return strayed.map(({ id }) => id)
}

async function readRegistry({ aggregator }: Deps): Promise<Map<string, RegistryEntry>> {
  const entries = new Map<string, RegistryEntry>()
  let cursor: string | undefined
  do {
    const page = await aggregator.send(listAnchors, { query: { cursor } })
    for (const entry of page.body.anchors) entries.set(entry.id, entry)
    cursor = nextCursor(page.headers)
  } while (cursor)
  return entries
}

function differs(anchor: AnchorRow, entry: RegistryEntry, { sealer }: Deps): boolean {
  return publicFace(registrationOf(anchor, sealer)) !== publicFace(entry)
}

/** What both sides show of an anchor, written alike. */
function publicFace(it: Registration | RegistryEntry): string {
  const { slug, name, domain, status, settlement, limits, fees } = it
  const codes = (list: string[]) => list.map(code => code.toUpperCase()).sort()
  const assets = it.assets.map(({ code, issuer, anchoredTo }) => `${code}:${issuer}:${anchoredTo}`)
  const amount = (value: string | number) => formatAmount(parseAmount(value))
  return JSON.stringify([
    [slug, name, domain, status, settlement],
    [codes(it.regions), codes(it.rails), codes(assets)],
    [amount(limits.min), amount(limits.max), amount(fees.fixed), formatRate(parseRate(fees.percentage))],
  ])
}
