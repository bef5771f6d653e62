import { add, type Amount, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordDebtPaid, recordTakenBack, recordWriteOff } from '../money/journal/entries.ts'
import { reverseEntry } from '../money/journal/journal.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'
import type { Tables, Transfer } from '../tables.ts'
import { addDebt, changeDebt, lockDebtOf, restOf, type CustomerDebt } from '../transfers/debts.ts'
import { lockTransfer } from '../transfers/find.ts'
import { noteMessage } from '../transfers/change.ts'
import { cancelPayment } from './ledger-payments.ts'
import { awaitAgain, reverseReceipt } from './reverse.ts'

/** What says that a bank took the money of a deposit back. */
interface TakenBack {
  /** Names the statement's line or the provider's report: each counts once. */
  cause: string
  amount: string
  /** What the bank said. */
  reason: string
  /** Only a part of the money: what is left of it is not waited for again. */
  isPart?: boolean
}

const takenBack = (cause: string): string => `taken-back:${cause}`

const PAID: ReadonlySet<Transfer['state']> = new Set(['funded', 'awaiting_trust', 'completed'])

/**
 * Why a bank cannot have taken the money of this deposit back, as the end of a sentence; or what came for it. The money came
 * once, and neither went back nor is going back.
 *
 * @param mayBeTwice people say so: what was sent back already may be taken back too.
 */
export async function findTakeable(
  db: Db<Tables>,
  { id, direction, state }: Transfer,
  { mayBeTwice = false } = {},
): Promise<string | { amount: string; currency: string }> {
  if (direction !== 'deposit') return 'it names a withdrawal'
  const receipt = await db
    .selectFrom('rail_receipts')
    .select(['amount', 'currency'])
    .where('transfer_id', '=', id)
    .where('outcome', 'in', mayBeTwice ? ['accepted', 'returned'] : ['accepted'])
    .executeTakeFirst()
  const isPaid = PAID.has(state) || (mayBeTwice && state === 'returned')
  if (!receipt || !isPaid) return 'the money of its deposit did not come, or goes back'
  if (await lockDebtOf(db, id)) return 'the money of its deposit was taken back already'
  return { ...receipt, amount: formatAmount(parseAmount(receipt.amount)) }
}

/**
 * Records that a bank took the money of a deposit back, in the caller's transaction. Where the units have not left, the
 * deposit waits for its money again. Else, and where it took a part, the customer owes it: nothing new is agreed with them, and nothing leaves for them.
 */
export async function takeBack(
  deps: Deps,
  tx: Transaction<Tables>,
  { id }: Pick<Transfer, 'id'>,
  { cause, amount, reason, isPart = false }: TakenBack,
): Promise<'awaited' | 'owed'> {
  const transfer = await lockTransfer(tx, id)
  const payment = await tx
    .selectFrom('ledger_payments')
    .select('id')
    .where('cause', '=', `deposit:${id}`)
    .executeTakeFirst()
  const message = `Your bank took ${isPart ? 'a part of ' : ''}the payment back: ${reason}.`
  if (
    payment &&
    !isPart &&
    transfer.state !== 'completed' &&
    transfer.state !== 'returned' &&
    (await cancelPayment(tx, payment.id))
  ) {
    await reverseReceipt(tx, transfer.rail_payment_id ?? '', 'accepted')
    await reverseEntry(tx, `deposit:${id}`)
    await awaitAgain(deps, tx, transfer, { rail_payment_id: null }, message)
    return 'awaited'
  }
  const debt = await addDebt(tx, transfer, { cause, amount, reason })
  await recordTakenBack(tx, { cause: takenBack(cause), ...moneyOf(debt, parseAmount(amount)) })
  const why = transfer.state === 'returned' ? 'It was sent back to you before' : 'You have the asset'
  await noteMessage(tx, id, `${message} ${why}, so you owe it: pay again with the same reference.`)
  deps.logger.error({ transfer: id, reason }, 'a bank took the money of a paid deposit back')
  const { rail, currency } = debt
  await publishEvent(tx, 'rail.deposit_taken_back', { transactionId: id, rail, amount, currency, reason })
  deps.wake.emit('conditions')
  return 'owed'
}

const moneyOf = ({ rail, currency, transfer_id: transferId }: CustomerDebt, amount: bigint) => ({
  ...{ rail, currency, transferId, amount },
})

/**
 * Counts money that came for a deposit as what its customer owes, in the caller's transaction. False: nothing is owed for
 * it, or less than came.
 */
export async function payDebt(
  tx: Db<Tables>,
  transferId: string,
  { paymentId, amount }: { paymentId: string; amount: string },
): Promise<boolean> {
  const debt = await lockDebtOf(tx, transferId)
  const paid = parseAmount(amount)
  if (debt?.state !== 'open' || paid > restOf(debt)) return false
  const recovered = add(parseAmount(debt.recovered), paid)
  await recordDebtPaid(tx, { cause: `debt-paid:${paymentId}`, ...moneyOf(debt, paid) })
  const isWhole = recovered === parseAmount(debt.amount)
  await changeDebt(tx, debt, { state: isWhole ? 'recovered' : 'open', recovered })
  if (isWhole) await noteMessage(tx, transferId, null)
  return true
}

/** More was taken of a deposit than its customer owes or paid, in the caller's transaction, of a debt that it has locked. */
export async function oweMore(tx: Db<Tables>, debt: CustomerDebt, more: Amount): Promise<void> {
  const amount = add(parseAmount(debt.amount), more)
  await recordTakenBack(tx, {
    cause: `${takenBack(debt.cause)}:${formatAmount(amount)}`,
    ...moneyOf(debt, more),
  })
  await changeDebt(tx, debt, { state: 'open', amount })
  const why = `Your bank took more of the payment back: ${debt.reason}.`
  await noteMessage(tx, debt.transfer_id, `${why} You owe it: pay again with the same reference.`)
}

/** Gives up what the customer of a deposit still owes, in the caller's transaction. Throws `action-not-possible`. */
export async function writeOff(tx: Db<Tables>, transferId: string): Promise<void> {
  const debt = await lockDebtOf(tx, transferId)
  if (debt?.state !== 'open') throw new Problem('action-not-possible', 'Nothing is owed for this deposit.')
  const { rail: _, ...rest } = moneyOf(debt, restOf(debt))
  await recordWriteOff(tx, { cause: `write-off:${debt.id}`, ...rest })
  await changeDebt(tx, debt, { state: 'written-off' })
}

/** A deposit's money was not taken back after all, as people or the provider say. Throws `action-not-possible`. */
export async function undoTakenBack(tx: Db<Tables>, transferId: string, cause: string): Promise<void> {
  const debt = await lockDebtOf(tx, transferId)
  if (debt?.cause !== cause || debt.state !== 'open' || parseAmount(debt.recovered) > 0n)
    throw new Problem('action-not-possible', 'What the customer owes was paid or written off since.')
  await reverseEntry(tx, takenBack(cause))
  await changeDebt(tx, debt, { state: 'reversed' })
  await noteMessage(tx, transferId, null)
}
