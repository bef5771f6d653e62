import { nextCursor } from '@windlass/client/next-page.ts'
import { listAnchors, type Registration, type RegistryEntry } from '@windlass/contracts/registry.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import type { Deps } from '../deps.ts'
import { findStanding, type AnchorRow } from './queries.ts'
import { registrationOf } from './registry.ts'
import { enqueueSync } from './sync.ts'

/**
 * Compares the aggregator's registry with the anchors that stand, and tells again those that are missing there, differ
 * from what the platform said, or do not answer though active: the private address is not shown, so it is told again
 * on suspicion. Answers the ids told.
 */
export async function keepRegistry(deps: Deps): Promise<string[]> {
  const entries = await readRegistry(deps)
  const strayed = (await findStanding(deps.database.db)).filter(anchor => {
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
