import type { Reconciliation } from '@windlass/contracts/anchor/reconciliation.ts'
import { millisecondsUntilDue } from '@windlass/service/work/due-work.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import type { Deps } from '../../deps.ts'
import { recordSafeguarding } from '../../money/reserves/safeguarding.ts'
import { checksOf } from './checks.ts'
import {
  addReconciliation,
  countOpen,
  endOthers,
  type Found,
  lastReconciliation,
  lockReconciliation,
  noteDifference,
  reconciliationDueAt,
} from './store.ts'

/**
 * Compares journal, ledger and rails, and records each difference. It moves no money: where a payment has no entry yet,
 * the two sides differ for a moment, so a difference counts once a second look finds it too.
 *
 * @param by `schedule` or `operator:<id>`
 */
export async function reconcile(deps: Deps, by: string): Promise<Reconciliation> {
  const checks = checksOf(deps)
  const results: { name: string; kinds: readonly Found['kind'][]; found: Found[] | null }[] = []
  for (const { name, kinds, find } of checks) results.push({ name, kinds, found: await twice(deps, find) })
  await deps.database.db.transaction().execute(async tx => {
    await lockReconciliation(tx)
    for (const { kinds, found } of results) {
      if (!found) continue
      for (const each of found) await noteDifference(tx, each)
      await endOthers(tx, kinds, found)
    }
    await addReconciliation(
      tx,
      by,
      results.map(({ name, found }) => ({ name, ...resultOf(found) })),
    )
  })
  await recordSafeguarding(deps)
  deps.wake.emit('conditions')
  return reconciliation(deps)
}

/** What both looks find, as the second one has it. */
async function twice(deps: Deps, find: (deps: Deps) => Promise<Found[] | null>): Promise<Found[] | null> {
  const first = await find(deps)
  if (first === null || first.length === 0) return first
  const second = await find(deps)
  const keys = new Set(first.map(({ kind, subject, amount }) => `${kind} ${subject} ${amount}`))
  return second && second.filter(({ kind, subject, amount }) => keys.has(`${kind} ${subject} ${amount}`))
}

function resultOf(found: readonly Found[] | null) {
  if (found === null) return { result: 'not-checked' as const, detail: 'The other side did not answer.' }
  if (found.length === 0) return { result: 'equal' as const, detail: 'Equal' }
  const details = found.slice(0, 3).map(({ detail }) => detail)
  const more = found.length > 3 ? [`And ${found.length - 3} more.`] : []
  return { result: 'different' as const, detail: [...details, ...more].join(' ') }
}

/** Compares once an hour, also where the server slept in between. */
export async function reconcileHourly(deps: Deps): Promise<void> {
  const wait = await millisecondsUntilDue(deps.database.db, [{ dueAt: reconciliationDueAt }])
  if (wait !== null && wait > 0) return
  await reconcile(deps, 'schedule')
}

export async function reconciliation({ database: { db } }: Deps): Promise<Reconciliation> {
  return { open: await readScalar(db, countOpen), last: await lastReconciliation(db) }
}
