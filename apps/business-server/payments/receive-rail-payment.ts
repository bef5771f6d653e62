import { formatAmount, parseAmount, parsePositiveAmount, type Amount } from '@windlass/money/amount.ts'
import { parseMoney } from '@windlass/money/number-text.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { notePayerCountry } from '../people/compliance/country-rules.ts'
import { recordName } from '../people/compliance/screened-names.ts'
import { recordParty } from '../people/compliance/velocity.ts'
import { recordDeposit, recordRailReceipt } from '../money/journal/entries.ts'
import { holdRailReceipt } from './incidents.ts'
import { isChannel, requireOwnChannels } from './channels.ts'
import { queuePayment } from './ledger-payments.ts'
import { recordUnknown } from './record-unknown.ts'
import { findUnrecorded, isCompared, mayBelongToLost } from './unrecorded.ts'
import { addReceipt, confirmMarked, isMarked, type Received } from './rail-receipts.ts'
import { queueOrder, reopenReturn, returnCause } from './rail-orders.ts'
import { payDebt } from './take-back.ts'
import type { SepCall } from '../outgoing/sep-calls/sep-calls.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import { columnsAsPaid, moneyPricedAt, priceOf, sepAmounts } from '../transfers/amounts.ts'
import { isLate, lockByReference, onTermsOf, refusedNow } from '../transfers/incoming-money.ts'
import { findOpenDebtOf, restOf } from '../transfers/debts.ts'
import { isDeducted } from '../transfers/disputes.ts'
import { bindTerms, isAgreed } from '../transfers/bound-terms.ts'
import { move } from '../transfers/move.ts'
import { ANCHORS_ACCOUNT, isOwnAccount } from '../transfers/payable.ts'
import { keepTravelData } from '../transfers/travel-data.ts'
import { addPayerAccount } from '../transfers/travel-rule/records.ts'
import { release } from '../money/treasury/treasury.ts'

/**
 * Records money that came over a rail, once per payment however often it is reported. A payment as agreed is paid on
 * the ledger, any other is returned.
 */
export async function receiveRailPayment(deps: Deps, rail: string, report: Received): Promise<void> {
  parseMoney(report.amount, report.currency)
  deps.faults.at('money:reported')
  await compareWithLedger(deps)
  await deps.database.db.transaction().execute(tx => recordRailPayment(deps, tx, rail, report))
  deps.faults.at('money:noted')
  wakeAfterRailPayment(deps)
}

/**
 * What money is for may be paid on the ledger already, from a later state of the database. Called before
 * {@link recordRailPayment}, which may price it: exchange rates are asked for again too.
 *
 * @throws {LedgerError} as long as that cannot be known; what reports the money repeats it.
 */
export async function compareWithLedger(deps: Deps): Promise<void> {
  await deps.refreshRates()
  if (!(await isCompared(deps.database.db))) {
    await recordUnknown(deps, 'to-sign')
    await requireOwnChannels(deps.database.db)
  }
}

export function wakeAfterRailPayment(deps: Deps): void {
  deps.wake.emit('sepCalls')
  deps.wake.emit('ledgerPayments')
  deps.wake.emit('railOrders')
}

/** As {@link receiveRailPayment}, in the caller's transaction, after which {@link wakeAfterRailPayment} is called. */
export async function recordRailPayment(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
): Promise<void> {
  const { transfer, verdict, isBound } = await judgeReport(deps, tx, rail, report)
  if (await isDeducted(tx, rail, report.paymentId)) return
  if (transfer && !verdict.take && (await paysDebt(tx, rail, report, transfer))) return
  const held =
    transfer === null ? await mayBelongToLost(tx, deps.clock.now()) : await isMarked(tx, transfer.id)
  const outcome = verdict.take ? 'accepted' : held ? 'held' : transfer ? 'returned' : 'unmatched'
  if (!(await addReceipt(tx, rail, report, { transfer, outcome, why: verdict.why })))
    return confirmMarked(tx, rail, report)
  if (verdict.take) await accept(deps, tx, verdict, isBound, report)
  else if (held) await setAside(deps, tx, rail, report, transfer !== null)
  else await sendBack(deps, tx, transfer, verdict, rail, report)
}

/**
 * Accepts money that is as agreed, in the caller's transaction. Otherwise nothing changes.
 *
 * @returns why it is not accepted, as the end of a sentence; null: it is.
 */
export async function acceptRailPayment(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
): Promise<string | null> {
  const { transfer, verdict, isBound } = await judgeReport(deps, tx, rail, report)
  if (transfer && !verdict.take && (await paysDebt(tx, rail, report, transfer))) return null
  if (!verdict.take) return verdict.why
  if (await addReceipt(tx, rail, report, { transfer, outcome: 'accepted', why: verdict.why }))
    await accept(deps, tx, verdict, isBound, report)
  return null
}

/** Whether it pays what the customer owes for a deposit that their bank took back; then it is counted so, once. */
async function paysDebt(
  tx: Db<Tables>,
  rail: string,
  report: Received,
  { id, rail: own }: Transfer,
): Promise<boolean> {
  const debt = rail === own ? await findOpenDebtOf(tx, id) : null
  if (debt === null || parseAmount(report.amount) > restOf(debt)) return false
  const found = {
    transfer: null,
    outcome: 'accepted',
    why: 'it pays what the customer owes for a deposit',
  } as const
  if (await addReceipt(tx, rail, report, found)) await payDebt(tx, id, report)
  return true
}

/** As {@link acceptRailPayment}, for money that an operator says has come. A later report of this payment changes nothing. */
export async function acceptMarked(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
): Promise<string | null> {
  const { transfer, verdict, isBound } = await judgeReport(deps, tx, rail, report)
  if (!verdict.take) return verdict.why
  if (await isDeducted(tx, rail, report.paymentId)) return 'the payment with this id was taken back'
  if (
    !(await addReceipt(tx, rail, report, {
      transfer,
      outcome: 'accepted',
      why: verdict.why,
      source: 'operator',
    }))
  )
    return 'the payment with this id is recorded already'
  await accept(deps, tx, verdict, isBound, report)
  return null
}

/** Sends back money that an operator does not accept, in the caller's transaction. */
export async function refuseRailPayment(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
): Promise<void> {
  const { transfer, verdict } = await judgeReport(deps, tx, rail, report)
  const why = verdict.take ? 'the operator did not accept it' : verdict.why
  const outcome = transfer ? 'returned' : 'unmatched'
  if (!(await addReceipt(tx, rail, report, { transfer, outcome, why }))) return
  const ends = verdict.take !== null || verdict.ends
  await sendBack(deps, tx, transfer, { ends, why }, rail, report)
}

async function judgeReport(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
): Promise<{ transfer: Transfer | null; verdict: Verdict; isBound: boolean }> {
  const found = await lockByReference(tx, report.reference)
  const isBound = found !== null && (await isAgreed(deps, tx, found))
  const paid = found && (await paidAlready(deps, tx, found))
  const cameAt = deps.clock.now()
  const transfer = found && paid === null ? await onTermsOf(deps, tx, found, cameAt) : found
  const isOurs =
    transfer !== null &&
    (isOwnAccount(deps, transfer.stellar_account) || (await isChannel(tx, transfer.stellar_account)))
  const verdict = judge(deps, { transfer, paid, isOurs }, rail, parseMoney(report.amount, report.currency))
  if (!verdict.take || paid !== null) return { transfer, verdict, isBound }
  const { take, change } = verdict
  const isOpen = change.amount !== undefined || take.state === 'expired'
  const added = isOpen ? parseAmount(change.amount ?? take.amount ?? '0') : null
  const why = await refusedNow(deps, tx, take, { cameAt, added })
  return { transfer, verdict: why === null ? verdict : { take: null, ends: true, why }, isBound }
}

type Accepted = { take: Transfer; change: TransferChange; why: string }
type Verdict = Accepted | { take: null; ends: boolean; why: string }

/** What the ledger shows as paid for the deposit, from a later state of the database: its money came, and was judged, then. */
async function paidAlready(deps: Deps, tx: Db<Tables>, { id, asset }: Transfer): Promise<Amount | null> {
  const paid = await findUnrecorded(deps, tx, depositCause(id))
  if (paid && paid.asset !== asset) throw new Error(`deposit ${id} was paid in another asset`)
  return paid?.amount ? parseAmount(paid.amount) : null
}

const depositCause = (id: string): string => `deposit:${id}`

interface Judged {
  transfer: Transfer | null
  /** Whether it is to be paid to an account of the anchor. */
  isOurs: boolean
  paid: Amount | null
}

function judge(deps: Deps, { transfer, paid, isOurs }: Judged, rail: string, amount: Amount): Verdict {
  const refuse = (why: string, ends = false): Verdict => ({ take: null, ends, why })
  if (!transfer) return refuse('no transaction has this reference')
  if (transfer.rail !== rail) return refuse('it came over another rail')
  const open = transfer.state === 'awaiting_funds' || transfer.state === 'expired'
  if (transfer.state === 'failed') return refuse('the transaction was canceled')
  if (!open) return refuse('the transaction has its money already')
  if (isOurs) return refuse(ANCHORS_ACCOUNT, true)
  if (transfer.fiat_amount !== null) {
    const agreed = parsePositiveAmount(transfer.fiat_amount)
    if (amount !== agreed) return refuse(`${formatAmount(agreed)} was agreed`, true)
    const asAgreed = paid === null ? !isLate(transfer, deps.clock.now()) : isSameAmount(transfer, paid)
    if (asAgreed) return { take: transfer, change: {}, why: 'as agreed' }
    // The customer saw: after the time to pay a quote is void, and without one the rate of the day applies.
    if (paid === null && transfer.quote_id) return refuse('the quote has expired', true)
  }
  if (paid !== null) {
    const change = columnsAsPaid(deps.config, transfer, { money: amount, units: paid })
    return { take: transfer, change, why: 'as it was paid on the ledger' }
  }
  try {
    const columns = moneyPricedAt(deps.config, transfer, amount, deps.clock.now())
    // Whole cents buy a little more than was agreed: where the price is the same, what was agreed stays.
    if (transfer.amount !== null) {
      const sameToday = priceOf(deps.config, transfer, parsePositiveAmount(transfer.amount)).fiat === amount
      if (sameToday) return { take: transfer, change: {}, why: 'late, at the same price as agreed' }
    }
    return {
      take: transfer,
      change: { ...columns, terms: transfer.terms },
      why: transfer.fiat_amount === null ? 'any amount was agreed' : 'late: priced at the rate of the day',
    }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return refuse(error.message, true)
    throw error
  }
}

const isSameAmount = ({ amount }: Transfer, units: Amount): boolean =>
  amount !== null && parseAmount(amount) === units

/** @param isBound whether this server agreed what the deposit says: else its payment waits for two people. */
async function accept(
  deps: Deps,
  tx: Db<Tables>,
  { take: transfer, change }: Accepted,
  isBound: boolean,
  report: Received,
): Promise<void> {
  const funded = await move(tx, transfer, 'funded', { ...change, rail_payment_id: report.paymentId }, [
    [
      'notify_offchain_funds_received',
      {
        ...sepAmounts(deps.config.anchor, { ...transfer, ...change } as Transfer),
        funds_received_at: deps.clock.now().toISOString(),
        external_transaction_id: report.paymentId,
      },
    ],
  ])
  if (funded.amount === null) throw new Error('a funded transfer has no amount')
  // What is missing is asked for before the asset is paid.
  await keepTravelData(deps, tx, funded)
  await recordPayer(deps, tx, funded.id, report)
  if (isBound) await bindTerms(deps, tx, funded)
  await recordDeposit(tx, funded)
  const payment = {
    ...{ cause: depositCause(funded.id), transfer_id: funded.id, purpose: 'deposit' as const },
    ...{ destination: funded.stellar_account, amount: funded.amount, asset: funded.asset },
    ...{ memo: funded.memo, memo_type: funded.memo_type, claimable: funded.claimable },
  }
  await queuePayment(deps, tx, payment, isBound)
}

/** Who paid is compared with sanctions lists before anything is paid for it. */
async function recordPayer(deps: Deps, tx: Db<Tables>, id: string, report: Received): Promise<void> {
  const { payer: name = null, payerAccount } = report
  await recordName(tx, deps.sealer, { subject: { kind: 'transaction', id }, role: 'payer', name })
  if (!payerAccount) return
  await recordParty(deps, tx, id, payerAccount)
  await notePayerCountry(tx, id, payerAccount)
  await addPayerAccount(deps, tx, id, payerAccount)
}

async function setAside(
  deps: Deps,
  tx: Db<Tables>,
  rail: string,
  report: Received,
  marked: boolean,
): Promise<void> {
  const { paymentId, reference, amount, currency } = report
  await recordRailReceipt(tx, { rail, paymentId, amount, currency, transferId: null })
  await holdRailReceipt(deps, tx, { rail, paymentId, reference, amount, currency, marked })
}

async function sendBack(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer | null,
  verdict: { ends: boolean; why: string },
  rail: string,
  report: Received,
): Promise<void> {
  const { amount, currency, paymentId } = report
  const transferId = transfer?.id ?? null
  await recordRailReceipt(tx, { rail, paymentId, amount, currency, transferId })
  await queueOrder(deps, tx, {
    cause: returnCause(rail, paymentId),
    transfer_id: verdict.ends ? (transfer?.id ?? null) : null,
    kind: 'return',
    rail,
    amount,
    currency,
    destination: { paymentId },
  })
  await reopenReturn(deps, tx, rail, paymentId)
  if (!transfer || !verdict.ends) return
  await recordPayer(deps, tx, transfer.id, report)
  await release(tx, transfer.id)
  const message = `The payment is refunded: ${verdict.why}.`
  const amount_in = { amount: formatAmount(parsePositiveAmount(amount)), asset: `iso4217:${currency}` }
  const calls: SepCall[] = [
    ['notify_offchain_funds_received', { amount_in, external_transaction_id: paymentId, message }],
    ['notify_refund_pending', { message }],
  ]
  await move(tx, transfer, 'returning', { rail_payment_id: paymentId, message }, calls)
}
