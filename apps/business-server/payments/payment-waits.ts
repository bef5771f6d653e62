import { assetField } from '@windlass/contracts/internal/served-assets.ts'
import { isRefusal } from '@windlass/client/signer.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import type { ReceiveFault } from '@windlass/stellar/horizon-account.ts'
import { HorizonError } from '@windlass/stellar/horizon-client.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { UnboundPayment } from './bound-payments.ts'
import { isUpkeep } from './channels.ts'
import { endDeployment, planDeployment } from './deploy-contract.ts'
import { ContractMissing } from './simulate-call.ts'
import { cancelPayment, codeOf, isStrangers } from './ledger-payments.ts'
import { isReturnProven, lockPaymentsOf, refundDeposit } from './operator.ts'
import { queueSepCalls } from '../outgoing/sep-calls/sep-calls.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { cancelSweep } from './sweep.ts'
import { reportUnproven } from './unproven.ts'
import { describeWait, UNTIL_DECIDED, waitColumns, type Wait } from './waits.ts'
import { lockTransfer } from '../transfers/find.ts'
import { noteMessage } from '../transfers/change.ts'
import { move } from '../transfers/move.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'

/** Looked for often at first, and less and less: some trustlines are opened the next day, some never. */
const TRUST_RETRY_SECONDS = { least: 3, most: 300 }
const STRANGERS_RETRY_SECONDS = 300
const FAULT_RETRY_SECONDS = 5
const TREASURY_RETRY_SECONDS = 10
const UNPROVEN_RETRY_SECONDS = 600
const DAY_SECONDS = 24 * 60 * 60
const XLM_RETRY_SECONDS = 30
const MAX_REFUSED_RETRY_SECONDS = 3_600

/** The distribution account lacks XLM for the reserve or the fee of a payment. */
export class XlmShortage extends Error {
  readonly wait: Wait

  constructor(missing: bigint) {
    const wait: Wait = { code: 'xlm', missing: formatAmount(amountOf(missing)) }
    super(describeWait(wait))
    this.wait = wait
  }
}

const UNCOVERED = 'The anchor cannot pay out this amount. Your payment is refunded.'

/** A deposit that was paid for is honoured as soon as the treasury allows it, or refunded over its rail after a day. */
export async function waitForTreasury(
  deps: Deps,
  payment: LedgerPayment,
  code: 'treasury-short' | 'treasury-frozen',
): Promise<void> {
  if (payment.purpose === 'sweep')
    return deps.database.db.transaction().execute(tx => cancelSweep(tx, payment))
  const waited = (deps.clock.now().getTime() - payment.created_at.getTime()) / 1000
  const deposit = payment.purpose === 'deposit' ? payment.transfer_id : null
  if (deposit !== null && waited > DAY_SECONDS && (await refundUncovered(deps, deposit))) return
  deps.logger.error({ payment: payment.id, code }, 'the distribution account cannot make a payment')
  await deps.database.db.transaction().execute(async tx => {
    await later(deps, payment, TREASURY_RETRY_SECONDS, { code }, { tx })
    if (payment.wait_code === code) return
    const message = describeWait({ code })
    const account = deps.config.anchor.accounts.distribution
    const { amount, asset } = payment
    const shortage = { account, transactionId: deposit, ...assetField(asset), amount, message }
    await publishEvent(tx, 'treasury.asset_low', shortage)
    // A wallet that waits for a trustline has its reason.
    const transfer = deposit === null ? null : await lockTransfer(tx, deposit)
    if (transfer?.state !== 'funded') return
    await queueSepCalls(tx, transfer.id, [['notify_amounts_updated', { message }]])
  })
  if (payment.wait_code !== code) deps.wake.emit('conditions')
  deps.wake.emit('sepCalls')
}

/** False: it has no proof of what came, so it waits on for two people. */
async function refundUncovered(deps: Deps, transferId: string): Promise<boolean> {
  const isProven = await deps.database.db.transaction().execute(async tx => {
    await lockPaymentsOf(tx, transferId)
    const transfer = await lockTransfer(tx, transferId)
    if (!(await isReturnProven(deps, tx, transfer))) return false
    await refundDeposit(deps, tx, transfer, UNCOVERED)
    return true
  })
  if (!isProven)
    deps.logger.error(
      { transfer: transferId },
      'a deposit is not refunded: this server has no proof of its payment',
    )
  deps.wake.emit('sepCalls')
  deps.wake.emit('railOrders')
  return isProven
}

/** Each pause is twice the one before: many accounts that can never receive cost few requests. */
const pauseOfStrangers = (waited: number): number =>
  Math.round(Math.min(MAX_REFUSED_RETRY_SECONDS, Math.max(0, waited) + STRANGERS_RETRY_SECONDS))

export async function waitForAccount(
  deps: Deps,
  payment: LedgerPayment,
  fault: ReceiveFault | 'memo-required',
): Promise<void> {
  const waited = (deps.clock.now().getTime() - payment.created_at.getTime()) / 1000
  const { least, most } = TRUST_RETRY_SECONDS
  const longest = waited > DAY_SECONDS ? MAX_REFUSED_RETRY_SECONDS : most
  const pause = isStrangers(payment)
    ? pauseOfStrangers(waited)
    : Math.round(Math.min(longest, Math.max(least, waited / 20)))
  const wait = { code: fault, asset: codeOf(deps, payment) }
  await deps.database.db.transaction().execute(async tx => {
    await later(deps, payment, pause, wait, { tx })
    if (payment.purpose !== 'deposit' || !payment.transfer_id) return
    const transfer = await lockTransfer(tx, payment.transfer_id)
    if (transfer.state !== 'funded') return
    const message = describeWait(wait)
    if (fault !== 'memo-required')
      return void (await move(tx, transfer, 'awaiting_trust', {}, [['request_trust', { message }]]))
    if (payment.wait_code === fault) return
    await noteMessage(tx, transfer.id, message)
    await queueSepCalls(tx, transfer.id, [['notify_amounts_updated', { message }]])
  })
  deps.wake.emit('sepCalls')
}

/** Nothing is tried again on each ledger: what was refused costs a fee each time, and what is missing comes slowly. */
export async function postpone(deps: Deps, payment: LedgerPayment, error: unknown): Promise<void> {
  if (error instanceof UnboundPayment) return holdUnbound(deps, payment)
  const isFinal = error instanceof XlmShortage || isRefusal(error)
  // Payments go out without more channels too.
  if (isFinal && payment.purpose === 'open-channels') {
    deps.logger.warn({ err: error }, 'no channels were opened')
    const canceled = await deps.database.db.transaction().execute(tx => cancelPayment(tx, payment.id))
    if (canceled) return
  }
  if (error instanceof XlmShortage) {
    const { code, missing } = error.wait
    const isKnown = payment.wait_code === code && payment.wait_details.missing === missing
    if (!isKnown) await alertShortage(deps, payment, error.message)
    return later(deps, payment, XLM_RETRY_SECONDS, error.wait)
  }
  deps.logger.warn({ err: error, payment: payment.id }, 'a payment on the ledger waits')
  const unconfirmed = error instanceof LedgerError && error.code === 'submission-unconfirmed'
  if (unconfirmed && (await reportUnproven(deps, payment)))
    return later(deps, payment, UNPROVEN_RETRY_SECONDS, { code: 'unproven' })
  // The signer's refusals are shown to the operator there.
  const refused = isRefusal(error) || (error instanceof LedgerError && error.code === 'transaction-refused')
  if (refused && payment.purpose === 'deploy-contract' && (await endDeployment(deps, payment))) return
  if (error instanceof ContractMissing) await planDeployment(deps, payment)
  const said = { error: (error as Error).message.slice(0, 200) }
  if (!refused) {
    const pause = Math.max(FAULT_RETRY_SECONDS, retryAfter(error))
    return later(deps, payment, pause, { code: 'unavailable', ...said })
  }
  const pause = Math.min(MAX_REFUSED_RETRY_SECONDS, FAULT_RETRY_SECONDS * 3 ** Math.min(payment.attempts, 7))
  await later(deps, payment, pause, { code: 'refused', ...said }, { attempts: payment.attempts + 1 })
}

/** Nobody is paid what this server did not order: people decide. What keeps the account in order is planned again by itself. */
async function holdUnbound(deps: Deps, payment: LedgerPayment): Promise<void> {
  const { id, cause } = payment
  deps.logger.error({ payment: id, cause }, 'a payment on the ledger waits: this server did not order it so')
  await deps.database.db.transaction().execute(async tx => {
    if (isUpkeep(payment) && (await cancelPayment(tx, id))) return
    await tx
      .updateTable('ledger_payments')
      .set({ next_try_at: UNTIL_DECIDED, ...waitColumns({ code: 'unbound' }) })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute()
  })
  deps.wake.emit('conditions')
}

/** Seconds for which Horizon asked. */
function retryAfter(error: unknown): number {
  const cause = error instanceof LedgerError ? error.cause : error
  return cause instanceof HorizonError ? Math.ceil((cause.retryAfterMs ?? 0) / 1000) : 0
}

async function alertShortage(deps: Deps, { id, transfer_id }: LedgerPayment, why: string): Promise<void> {
  const account = deps.config.anchor.accounts.distribution
  deps.logger.error({ payment: id, account }, `the distribution account ${why}`)
  await publishEvent(deps.database.db, 'treasury.xlm_low', {
    account,
    transactionId: transfer_id,
    message: why,
  })
  deps.wake.emit('conditions')
}

async function later(
  deps: Deps,
  { id, attempts: before }: LedgerPayment,
  seconds: number,
  wait: Wait,
  { attempts = before, tx = deps.database.db }: { attempts?: number; tx?: Db<Tables> } = {},
): Promise<void> {
  await tx
    .updateTable('ledger_payments')
    .set({ next_try_at: sql<Date>`now() + ${seconds} * interval '1 second'`, ...waitColumns(wait), attempts })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
}
