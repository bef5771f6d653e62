import type { Difference, DifferenceResolution } from '@windlass/contracts/anchor/reconciliation.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { limitFor } from '../../money/approvals/approvals.ts'
import { bindFact, type FactKind, forgetFact, requireAsked } from '../../money/bound-facts/bound-facts.ts'
import { unitOf } from '../../money/journal/journal.ts'
import { thresholdIn, thresholdInCurrency } from '../../money/pricing/worth.ts'
import { sorted } from '../../row-text.ts'
import { needsSecondPerson } from '../../second-person.ts'
import type { DifferenceRow, Tables } from '../../tables.ts'
import { changeOpen, differenceForm, lockDifference } from './store.ts'

type Resolution = Static<typeof DifferenceResolution> & { by: string }

/**
 * Resolves a difference, or writes down what a second person is asked to approve: that is needed above the amount of the
 * settings, and of who said what it is about.
 *
 * @throws {Problem} `difference-not-found`, `difference-ended`.
 */
export function resolveDifference(
  deps: Deps,
  id: string,
  { by, reason, resolution = 'other' }: Resolution,
): Promise<Difference> {
  return changing(deps, id, async (tx, row) => {
    if (!(await isAboveLimit(deps, tx, row, by)))
      return changeOpen(tx, id, { state: 'resolved', ended_by: by, reason, resolution, proposed: null })
    const at = deps.clock.now().toISOString()
    const proposed = await changeOpen(tx, id, { proposed: JSON.stringify({ resolution, reason, by, at }) })
    await bindFact(deps, tx, proposedEnds, id)
    return proposed
  })
}

/**
 * Approves or rejects what someone else proposed.
 *
 * @throws {Problem} `difference-not-found`, `difference-ended`, `action-not-found`, `second-person-needed`.
 */
export function approveDifference(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<Difference> {
  return changing(deps, id, async (tx, { state, proposed }) => {
    if (!proposed || state !== 'open')
      throw new Problem('action-not-found', 'Nothing about this difference waits for a second person.')
    if (approve && proposed.by === by) throw needsSecondPerson('You asked for this.')
    if (approve) await requireAsked(deps, tx, proposedEnds, id)
    await forgetFact(tx, proposedEnds, id)
    if (!approve) return changeOpen(tx, id, { proposed: null })
    const { reason, resolution } = proposed
    return changeOpen(tx, id, { state: 'resolved', ended_by: by, reason, resolution, proposed: null })
  })
}

/** What someone said that a difference is about, while it waits for a second person. */
export const proposedEnds: FactKind = {
  kind: 'difference',
  rowOf: async (_, tx, id) => {
    const query = tx.selectFrom('reconciliation_differences').selectAll()
    const row = await query.where(sql`id::text`, '=', id).executeTakeFirst()
    return row ? [row.kind, row.subject, row.unit, row.proposed ? sorted(row.proposed) : null] : null
  },
}

async function changing(
  deps: Deps,
  id: string,
  change: (tx: Db<Tables>, row: DifferenceRow) => Promise<DifferenceRow>,
): Promise<Difference> {
  const row = await deps.database.db
    .transaction()
    .execute(async tx => change(tx, await lockDifference(tx, id)))
  deps.wake.emit('conditions')
  return differenceForm(row)
}

async function isAboveLimit(
  deps: Deps,
  tx: Db<Tables>,
  { unit, amount, said_by: said }: DifferenceRow,
  by: string,
) {
  const above = await limitFor(deps, tx, by)
  if (above === null) return false
  // Nobody confirms their own word.
  if (said === by) return true
  const asset = servedAssets(deps.config.anchor).find(({ key }) => unitOf(key) === unit)
  const limit = asset
    ? thresholdIn(deps.config, above, asset.key)
    : thresholdInCurrency(deps.config, above, unit)
  const size = parseAmount(amount)
  return (size < 0n ? -size : size) > limit
}
