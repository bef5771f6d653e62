import type { LineDecision, StatementLine } from '@windlass/contracts/bank-files.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import type { listLineCandidates } from '@windlass/contracts/bank-files.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { recordBankLine, recordOwnMoney } from '../journal/entries.ts'
import {
  acceptRailPayment,
  compareWithLedger,
  refuseRailPayment,
  wakeAfterRailPayment,
} from '../payments/receive-rail-payment.ts'
import { recordOrderEnd } from '../payments/settle-order.ts'
import {
  approvedFileOf,
  endPayout,
  lockPayoutOfTransfer,
  lockPayouts,
  rejectedCodes,
} from '../rails/bank-file/payouts.ts'
import type { BankLine, BankPayout, Tables } from '../tables.ts'
import { awaitedDeposits, findTransfer } from '../transfers/find.ts'
import { isNamed, railsOf } from './accounts.ts'
import {
  endPayoutsOfFile,
  lockPayoutsOfLostFile,
  lockRejectedPayoutsPaidBy,
  moneyOf,
  payerNames,
  paymentOf,
} from './match.ts'
import { findLine, lockLine, openLine, setOutcome } from './store.ts'

/** Open deposits of the line's amount; those of a customer with the payer's name first. */
export async function lineCandidates(deps: Deps, id: string): Promise<AnswerOf<typeof listLineCandidates>> {
  const line = await findLine(deps.database.db, id)
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  if (line.direction === 'out' || rails.length === 0) return []
  const { name } = openLine(deps.sealer, line)
  const deposits = await awaitedDeposits(deps.database.db, rails, line.amount, 20)
  const candidates = await Promise.all(
    deposits.map(async each => ({
      transactionId: each.id,
      reference: each.reference ?? '',
      rail: each.rail,
      amount: each.fiat_amount && formatAmount(parseAmount(each.fiat_amount)),
      status: each.state,
      createdAt: each.created_at.toISOString(),
      samePayer: isNamed(name, await payerNames(deps, each)),
    })),
  )
  const order = ({ samePayer }: { samePayer: boolean | null }) => (samePayer ? 0 : samePayer === null ? 1 : 2)
  return candidates.sort((a, b) => order(a) - order(b))
}

/**
 * Takes an operator's decision about a line under review, with all that follows from it, in one transaction.
 *
 * @param by `operator:<id>` or `key:<id>`
 * @throws {Problem} `statement-line-not-found`, `statement-line-decided`, `transaction-not-found`, `validation-failed`.
 */
export async function decideLine(
  deps: Deps,
  id: string,
  by: string,
  decision: LineDecision,
): Promise<BankLine> {
  await findLine(deps.database.db, id)
  await compareWithLedger(deps)
  const decided = await deps.database.db.transaction().execute(async tx => {
    const line = await lockLine(tx, id)
    if (line.state !== 'review')
      throw new Problem(
        'statement-line-decided',
        `The line does not wait for a decision: it is ${line.state}.`,
      )
    const outcome = await act(deps, tx, line, decision)
    const told = { decided_by: by, decided_at: deps.clock.now(), why: decision.reason }
    return setOutcome(tx, id, { ...outcome, ...told })
  })
  wakeAfterRailPayment(deps)
  deps.wake.emit('conditions')
  return decided
}

type Outcome = Pick<Parameters<typeof setOutcome>[2], 'state' | 'transfer_id' | 'order_id' | 'ignored_as'>

async function act(deps: Deps, tx: Db<Tables>, line: BankLine, decision: LineDecision): Promise<Outcome> {
  const { amount, ...money } = moneyOf(line)
  if (decision.decision === 'ignore' && decision.as === undefined)
    throw invalid('as', 'is needed to ignore a line')
  if (decision.decision === 'ignore' && decision.as === 'own') {
    await recordOwnMoney(tx, { cause: `line:${line.id}:own`, amount, currency: money.currency })
    return { state: 'ignored', ignored_as: 'own' }
  }
  // It is explained now, by another entry or as a line that was counted twice.
  await recordBankLine(tx, { cause: `line:${line.id}:decided`, ...money, amount: -amount })
  if (decision.decision === 'ignore') return { state: 'ignored', ignored_as: 'duplicate' }
  if (decision.decision === 'return') return sendBack(deps, tx, line)
  if (!decision.transactionId) {
    const payout = await payoutNamedBy(deps, tx, line)
    if (payout) return endByLine(deps, tx, line, payout, decision.reason)
    const payouts = line.direction === 'out' ? await payoutsOfNamedFile(deps, tx, line) : []
    if (payouts.length === 0) throw invalid('transactionId', 'is needed to match a line')
    await endPayoutsOfFile(deps, tx, line, payouts)
    return { state: 'matched' }
  }
  return match(deps, tx, line, decision.transactionId, decision.reason)
}

/** Of a file that the bank rejected and still made, or that a restored database lacks. */
async function payoutsOfNamedFile(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<BankPayout[]> {
  const rejected = await lockRejectedPayoutsPaidBy(tx, line)
  return rejected.length > 0 ? rejected : lockPayoutsOfLostFile(deps, tx, line)
}

async function sendBack(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<Outcome> {
  if (line.direction === 'out') throw invalid('decision', 'cannot be return: the money left the account')
  const transfer = line.transfer_id ? await findTransfer(tx, line.transfer_id) : null
  // It leaves from the account to which it came, whatever account its transaction is paid over.
  const isOurs = railsOf(deps, line.account).some(({ name }) => name === transfer?.rail)
  const rail = (isOurs && transfer?.rail) || line.rail
  await refuseRailPayment(deps, tx, rail, paymentOf(deps, line, transfer?.reference ?? `line ${line.id}`))
  return { state: 'returned', transfer_id: transfer?.id ?? null }
}

async function match(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  transferId: string,
  reason: string,
): Promise<Outcome> {
  const transfer = await findTransfer(tx, transferId)
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  if (!transfer || !rails.includes(transfer.rail))
    throw new Problem('transaction-not-found', 'No transaction over this bank account has this id.')
  if (transfer.direction === 'deposit') {
    if (line.direction === 'out')
      throw invalid('transactionId', 'is a deposit, and the money left the account')
    if (!transfer.reference) throw invalid('transactionId', 'is a deposit that is not agreed yet')
    const refused = await acceptRailPayment(
      deps,
      tx,
      transfer.rail,
      paymentOf(deps, line, transfer.reference),
    )
    if (refused !== null)
      throw invalid('transactionId', `cannot be matched: ${refused}. Return the money instead`)
    return { state: 'matched', transfer_id: transfer.id }
  }
  const payout = await lockPayoutOfTransfer(tx, transfer.id)
  if (!payout) throw invalid('transactionId', 'is a withdrawal that is not paid out yet')
  if (parseAmount(payout.amount) !== parseAmount(line.amount))
    throw invalid(
      'transactionId',
      `is a withdrawal of ${formatAmount(parseAmount(payout.amount))} ${payout.currency}`,
    )
  if (line.direction === 'out' && payout.ended_at) throw invalid('transactionId', 'has ended already')
  if (line.direction === 'in' && (await isInNextFile(tx, payout)))
    throw invalid('transactionId', 'has a payout in another file, which a statement has to confirm first')
  return { ...(await endByLine(deps, tx, line, payout, reason)), transfer_id: transfer.id }
}

/** The open payout or return that a debit names: one that was decided again after a restore is younger than its debit. */
async function payoutNamedBy(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<BankPayout | null> {
  if (line.direction === 'in') return null
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  const [payout, another] = await lockPayouts(tx, line.codes)
  if (!payout || another || payout.ended_at || !rails.includes(payout.rail)) return null
  return parseAmount(payout.amount) === parseAmount(line.amount) ? payout : null
}

/** Whether the bank may still make a payout, of which it rejected an earlier file: what came back may be of that one. */
async function isInNextFile(tx: Db<Tables>, payout: BankPayout): Promise<boolean> {
  if (payout.ended_at || (await rejectedCodes(tx, [payout])).size === 0) return false
  return (await approvedFileOf(tx, payout)) !== null
}

async function endByLine(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  payout: BankPayout,
  reason: string,
): Promise<Outcome> {
  await recordOrderEnd(
    deps,
    tx,
    line.direction === 'out'
      ? { kind: 'paid', orderId: payout.id, paymentId: line.id }
      : { kind: 'failed', orderId: payout.id, reason },
  )
  await endPayout(tx, payout.id)
  return { state: 'matched', order_id: payout.id }
}

export function lineForm({ sealer }: Pick<Deps, 'sealer'>, row: BankLine): StatementLine {
  const { text, name, account, bank } = openLine(sealer, row)
  return {
    id: row.id,
    statementId: row.statement_id,
    rail: row.rail,
    bookedOn: row.booked_on,
    direction: row.direction,
    amount: formatAmount(parseAmount(row.amount)),
    currency: row.currency,
    bankReference: row.bank_reference,
    text,
    party: { name, account, bank },
    status: row.state,
    reason: row.why,
    transactionId: row.transfer_id,
    payoutId: row.order_id,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}
