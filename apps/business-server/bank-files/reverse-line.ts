import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { isRecorded, reverseEntry } from '../money/journal/journal.ts'
import { reverseOrderEnd, reverseReceived, reverseReturned } from '../payments/reverse.ts'
import { reverseByHand } from '../payments/sent-back.ts'
import { undoTakenBack } from '../payments/take-back.ts'
import { cancelWaitingReturn, reopenPayout } from '../rails/bank-file/payouts.ts'
import type { BankLine, Tables } from '../tables.ts'
import { chargeCause } from './charges.ts'
import { decidedCause, ownCause, type Undo } from './explain-line.ts'
import { namedByDebits } from './lines.ts'

const notPossible = (why: string) => new Problem('action-not-possible', why)

/** Whether people decided what the line is, which they can take back. */
export const canReverse = ({ decided_by, state }: BankLine): boolean =>
  decided_by !== null && state !== 'review' && state !== 'new'

/**
 * Takes back what a decision about a line did, by entries of the journal with the opposite amounts, in the caller's
 * transaction. What came is in suspense again, and the line waits for another decision.
 *
 * @throws {Problem} `action-not-possible`: what followed from it cannot be taken back any more.
 */
export async function undoDecision(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  undo: Undo,
): Promise<void> {
  if (line.ignored_as === 'own') return reverseEntry(tx, ownCause(line))
  if (line.state === 'returned') await undoReturn(tx, line, undo.rail ?? line.rail)
  if (line.state === 'matched') await undoMatch(deps, tx, line, undo)
  await reverseEntry(tx, decidedCause(line))
}

async function undoReturn(tx: Db<Tables>, line: BankLine, rail: string): Promise<void> {
  const id = await reverseReturned(tx, rail, line.id)
  const { amount, currency } = line
  const code = await cancelWaitingReturn(tx, { id, rail, amount, currency, line_id: line.id })
  if (code === null)
    throw notPossible(
      'The return is in a file for the bank, or has ended. Cancel a file that is not approved first.',
    )
  if ((await namedByDebits(tx, line.account, [code])).size > 0)
    throw notPossible('A bank statement has a debit that may be the return. Decide about that line first.')
}

async function undoMatch(deps: Deps, tx: Transaction<Tables>, line: BankLine, undo: Undo): Promise<void> {
  if (undo.takenBack === 'awaited')
    throw notPossible('The deposit waits for its money again. Match the line by which it comes.')
  if (await isRecorded(tx, chargeCause(line))) await reverseEntry(tx, chargeCause(line))
  if (undo.takenBack === 'owed') return undoTakenBack(tx, line.transfer_id ?? '', `line:${line.id}`)
  const orders = undo.orders ?? (line.order_id === null ? [] : [line.order_id])
  if (orders.length === 0 && line.transfer_id === null)
    throw notPossible(
      'It was decided by an earlier release, which did not keep what is needed to reverse it.',
    )
  if (undo.byHand) return reverseByHand(deps, tx, undo.byHand)
  if (orders.length === 0) return reverseReceived(deps, tx, line.id, undo.terms ?? null)
  for (const id of orders) {
    const order = await reverseOrderEnd(deps, tx, id)
    // One that came back after it was paid is paid, as before.
    if (order.came_back_at === null || order.state !== 'paid') await reopenPayout(tx, id)
  }
}
