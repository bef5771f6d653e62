import { ProblemError } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { setAnchorRunning } from '@windlass/contracts/internal/control-plane.ts'
import {
  type Registration,
  type RegistryEntry,
  listAnchors,
  registerAnchor,
  removeRegistryEntry,
} from '@windlass/contracts/aggregator/registry.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { type OutboxMessage, enqueue } from '@windlass/service/work/outbox.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { type AnchorRow, findAnchor, registeredAnchors, settingsOf } from './anchors.ts'

export const summarySecretContext = (anchorId: string): string => `anchors:${anchorId}:summary-secret`

export const sealedSummarySecrets: SealedColumn = {
  table: 'anchors',
  column: 'summary_secret',
  key: ['id'],
  contextOf: ({ id = '' }) => summarySecretContext(id),
}

/** The aggregator's entry for a provisioned anchor. Throws where it has not been provisioned. */
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
    assets: [{ ...plan.asset, issuer }, ...(plan.furtherAssets ?? [])].map(
      ({ code, issuer, anchoredTo }) => ({ code, issuer, anchoredTo }),
    ),
    ...termsOf(anchor),
    settlement: plan.settlement,
    summarySecret: sealer.open(summarySecret, summarySecretContext(anchor.id)),
    ...(signingKey ? { signingKey } : {}),
  }
}

/** Rails, limits and fees by the operator's settings; a direction that is paused has no rail. */
function termsOf(anchor: AnchorRow) {
  const { fees, limits, rails, paused } = settingsOf(anchor)
  const on = (side: 'deposits' | 'withdrawals') =>
    paused[side] === null ? rails.filter(rail => rail[side]).map(({ name }) => name) : []
  const deposit = { rails: on('deposits'), fees: fees.deposit }
  const withdrawal = { rails: on('withdrawals'), fees: fees.withdrawal }
  // Without a rail for deposits the registry asks what holds for withdrawals, which may be paused as well.
  const differ = deposit.rails.length === 0 || JSON.stringify(withdrawal) !== JSON.stringify(deposit)
  return {
    rails: deposit.rails,
    limits: { min: limits.min, max: limits.max },
    fees: fees.deposit,
    ...(differ ? { withdrawal } : {}),
    ...(fees.rails.length > 0 ? { railFees: fees.rails } : {}),
    ...(fees.spread ? { spread: fees.spread } : {}),
  }
}

/** Registers an anchor or updates its entry; returns once the aggregator has acknowledged. */
export async function register(
  { aggregator }: Pick<Deps, 'aggregator'>,
  registration: Registration,
): Promise<void> {
  await aggregator.call(registerAnchor, { body: registration })
}

/** Removes an anchor from the registry, if it is there; returns once the aggregator has acknowledged. */
export async function deregister({ aggregator }: Pick<Deps, 'aggregator'>, anchorId: string): Promise<void> {
  try {
    await aggregator.call(removeRegistryEntry, { params: { id: anchorId } })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
  }
}

export const SYNC_TOPIC = 'sync-anchor'

/** Syncs the anchor's state to the control plane and the aggregator once this transaction commits. */
export async function enqueueSync(tx: PlatformDb, anchorId: string): Promise<void> {
  await enqueue(tx, SYNC_TOPIC, `${anchorId}:${randomUUID()}`, { anchorId })
}

/**
 * Sends an anchor's present state to the control plane and the aggregator. Messages may overtake each other: each
 * sends what the row says when it is delivered, and reads it again afterwards.
 */
export function syncAnchor(deps: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const { anchorId } = message.payload as { anchorId: string }
    let sent: string | undefined
    for (;;) {
      const anchor = await findAnchor(deps.database.db, anchorId)
      const { rails, railVersions } = anchor?.plan ?? {}
      const state = anchor && `${anchor.status} ${anchor.settings_version} ${railVersions?.length ?? 0}`
      if (!anchor || state === sent) return
      await deps.controlPlane.call(setAnchorRunning, {
        params: { anchorId },
        body: { running: anchor.status === 'active', ...(railVersions ? { rails, railVersions } : {}) },
      })
      if (anchor.status === 'removed') await deregister(deps, anchorId)
      else await register(deps, registrationOf(anchor, deps.sealer))
      sent = state
    }
  }
}

/**
 * Compares the aggregator's registry with our anchors and sends those again that are missing there, differ, or do not
 * answer although they are active: the registry does not show the private address, which may be outdated. Returns the
 * ids that were sent.
 */
export async function reconcileRegistry(deps: Deps): Promise<string[]> {
  const entries = await readRegistry(deps)
  const outdated = (await registeredAnchors(deps.database.db)).filter(anchor => {
    const entry = entries.get(anchor.id)
    return (
      !entry || differs(anchor, entry, deps) || (anchor.status === 'active' && !entry.current_availability)
    )
  })
  for (const { id } of outdated) await enqueueSync(deps.database.db, id)
  return outdated.map(({ id }) => id)
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
  return published(registrationOf(anchor, sealer)) !== published(entry)
}

/** What both sides publish of an anchor, in one form. */
function published(it: Registration | RegistryEntry): string {
  const { slug, name, domain, status, settlement, limits, fees } = it
  const codes = (list: string[]) => list.map(code => code.toUpperCase()).sort()
  const assets = it.assets.map(({ code, issuer, anchoredTo }) => `${code}:${issuer}:${anchoredTo}`)
  const feeOf = ({ fixed, percentage }: { fixed: string | number; percentage: string | number }) => [
    amount(fixed),
    formatRate(parseRate(percentage)),
  ]
  const amount = (value: string | number) => formatAmount(parseAmount(value))
  return JSON.stringify([
    [slug, name, domain, status, settlement],
    [codes(it.regions), codes(it.rails), codes(assets)],
    [amount(limits.min), amount(limits.max), ...feeOf(fees)],
    [codes(it.withdrawal?.rails ?? []), it.withdrawal && feeOf(it.withdrawal.fees)],
    it.railFees?.map(each => [each.rail.toUpperCase(), each.direction, ...feeOf(each)].join()).sort() ?? [],
    it.spread ? [it.spread.deposit, it.spread.withdrawal].map(share => formatRate(parseRate(share))) : [],
  ])
}
