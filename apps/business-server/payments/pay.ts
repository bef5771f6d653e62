import { assetField, assetName, idOf, servedAsset } from '@windlass/contracts/served-assets.ts'
import { isRefusal } from '@windlass/client/signer.ts'
import { continueFrom, inSpan } from '@windlass/service/request-context.ts'
import { claimDue } from '@windlass/service/claim-due.ts'
import type { Db } from '@windlass/service/database.ts'
import { type Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { feeBid, payFee, raiseFee, type FeeRaise } from '@windlass/stellar/fees.ts'
import {
  receiveFault,
  spendableXlm,
  type HorizonAccount,
  type ReceiveFault,
} from '@windlass/stellar/horizon-account.ts'
import { HorizonError } from '@windlass/stellar/horizon-client.ts'
import type { Horizon, LedgerHead } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import { settle, type EnvelopeStore } from '@windlass/stellar/settle.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import {
  buildPayment,
  createdBalance,
  simulatePayment,
  VALID_SECONDS,
  type CreatedBalance,
} from './build-payment.ts'
import {
  buildUpkeep,
  countDue,
  finishUpkeep,
  freeChannels,
  hasForeignChannels,
  isUpkeep,
  planChannels,
  requireOwnChannels,
} from './channels.ts'
import { endReclaim, isClaimed, recordBalance, reclaimedBalance, redeliver } from './claimable-balances.ts'
import { envelopesOf } from './envelopes.ts'
import { recordLedgerPayment } from '../journal/entries.ts'
import { cancelPayment, FROZEN, NEEDS_XLM, reservationOf, SHORT } from './ledger-payments.ts'
import { lockPaymentsOf, refundDeposit } from './operator.ts'
import { queueSepCalls, type SepCall } from '../sep-calls/sep-calls.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { isHeldBack, LACKS_DATA, SCREENED } from './screening.ts'
import { cancelSweep } from './sweep.ts'
import { endUnproven, reportUnproven } from './unproven.ts'
import { recordAgain, recordTogether, recordUnknown, recordUpTo } from './record-unknown.ts'
import { adoptUnrecorded } from './unrecorded.ts'
import { restoredAt } from './restored.ts'
import { lockTransfer, noteRedelivered, originOf } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { publishEvent } from '../webhooks/publish.ts'
import { readHolding, release } from '../treasury/treasury.ts'

/** Looked for often at first, and less and less: some trustlines are opened the next day, some never. */
const TRUST_RETRY_SECONDS = { least: 3, most: 300 }
const FAULT_RETRY_SECONDS = 5
const TREASURY_RETRY_SECONDS = 10
const UNPROVEN_RETRY_SECONDS = 600
const UNPROVEN = 'An operator must say whether it was paid: no Horizon has this part of the history.'
const DAY_SECONDS = 24 * 60 * 60
/** Of a claimable balance: the customer and the anchor. */
const CLAIMANTS = 2n
const XLM_RETRY_SECONDS = 30
const MAX_REFUSED_RETRY_SECONDS = 3_600

/** The distribution account lacks XLM for the reserve or the fee of a payment. */
class XlmShortage extends Error {
  constructor(missing: bigint) {
    super(`${NEEDS_XLM}${formatAmount(amountOf(missing))} XLM`)
  }
}

/** For the due work. */
export const ledgerPaymentsDueAt = sql<Date | null>`
  select min(next_try_at) from ledger_payments where state = 'queued' and next_try_at < 'infinity'`

/**
 * Pays what is queued: one payment after the other with the distribution account's own sequence numbers, and beside it
 * one in each free channel.
 */
export async function payQueued(deps: Deps): Promise<void> {
  const { db } = deps.database
  const running = new Map<string | null, Promise<void>>()
  const taken = new Set<string>()
  const failures: unknown[] = []
  const together = { ...deps, horizon: shareReads(deps.horizon, deps.config.anchor.accounts.distribution) }
  const start = async (): Promise<void> => {
    const due = await countDue(db)
    // Payments go out without more channels too, such as while Horizon limits routine requests.
    await planChannels(deps, due).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'no channels were planned'),
    )
    const free = due > 1 ? (await freeChannels(db)).slice(0, due - 1) : []
    for (const channel of [null, ...free]) {
      if (running.has(channel)) continue
      const ended = payIn(channel === null ? deps : together, channel, { taken, onUpkeep: start })
        .catch((error: unknown) => failures.push(error))
        .then(() => void running.delete(channel))
      running.set(channel, ended)
    }
  }
  await start()
  while (running.size > 0) await Promise.all(running.values())
  if (failures.length > 0) throw failures[0]
}

const SHARED_MS = 1_000

/** What payments in channels ask alike is asked once in a second: each answer still proves what it did. */
function shareReads(horizon: Horizon, treasury: string): Horizon {
  const kept = new Map<string, { at: number; answer: Promise<unknown> }>()
  const once = <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    const before = kept.get(what)
    if (before && performance.now() - before.at < SHARED_MS) return before.answer as Promise<T>
    const answer = ask()
    kept.set(what, { at: performance.now(), answer })
    return answer
  }
  const shared: Pick<Horizon, 'head' | 'feeStats' | 'account'> = {
    head: () => once('head', () => horizon.head()),
    feeStats: () => once('fees', () => horizon.feeStats()),
    account: id => (id === treasury ? once('treasury', () => horizon.account(id)) : horizon.account(id)),
  }
  return Object.assign(Object.create(horizon) as Horizon, shared)
}

interface Round {
  /** Payments that are in hand. */
  taken: Set<string>
  /** Channels were opened or closed. */
  onUpkeep(): Promise<void>
}

/** Pays one payment after the other in a channel; null: with the distribution account's own sequence numbers. */
async function payIn(deps: Deps, channel: string | null, { taken, onUpkeep }: Round): Promise<void> {
  for (;;) {
    const next = await takeNext(deps, channel, taken)
    if (!next) return
    taken.add(next.id)
    const origin = await originOf(deps.database.db, next.transfer_id)
    const isPaid = await continueFrom(origin, `pay ${next.purpose}`, () =>
      inSpan('attempt', () => payOne(deps, next, channel)).then(
        () => true,
        (error: unknown) => postpone(deps, next, error).then(() => false),
      ),
    ).finally(() => taken.delete(next.id))
    if (isUpkeep(next)) await onUpkeep()
    // Its next sequence number may be taken.
    if (channel !== null && !isPaid) return
  }
}

async function takeNext(
  { database }: Deps,
  channel: string | null,
  taken: ReadonlySet<string>,
): Promise<LedgerPayment | null> {
  const ours = channel === null ? sql`` : sql`and purpose not in ('open-channels', 'close-channels')`
  const [next] = await claimDue<LedgerPayment, Tables>(database.db, {
    table: 'ledger_payments',
    dueAt: 'next_try_at',
    leaseSeconds: 10,
    limit: 1,
    where: sql`state = 'queued' and id <> all(${[...taken]}::uuid[]) ${ours}`,
  })
  return next ?? null
}

async function payOne(deps: Deps, payment: LedgerPayment, channel: string | null): Promise<void> {
  deps.faults.at('payment:taken')
  const store = envelopesOf(deps, payment.id)
  const open = (await store.current()) ?? (await adopted(deps, payment, store))
  const reclaimed = reclaimedBalance(payment)
  if (!open && payment.purpose === 'close-channels' && !(await hasForeignChannels(deps.database.db)))
    return cancelUpkeep(deps, payment)
  if (!open && reclaimed && (await isClaimed(deps, reclaimed))) return endReclaim(deps, payment, reclaimed)
  // What is taken back is paid to nobody.
  const screened = payment.purpose !== 'reclaim'
  const goesBack = payment.purpose === 'refund'
  if (!open && screened && (await isHeldBack(deps, 'ledger_payments', { ...payment, goesBack }))) return
  const reach = open || reclaimed || isUpkeep(payment) ? 'payment' : await howToReach(deps, payment)
  if (reach !== 'payment' && reach !== 'claimable') return waitForTrust(deps, payment, reach)
  // A payment that the ledger must refuse costs a fee each time it is tried.
  if (!open && payment.asset !== 'native' && !reclaimed) {
    const { balance, fault } = await readHolding(deps, payment.asset)
    if (fault) return waitForTreasury(deps, payment, FROZEN)
    if (balance < parseAmount(payment.amount)) return waitForTreasury(deps, payment, SHORT)
  }
  let treasury: HorizonAccount | null = null
  await settle({
    horizon: deps.horizon,
    store,
    isDone: async () => {
      if (payment.purpose === 'close-channels') {
        treasury = await recordAgain(deps)
        return false
      }
      treasury = await (channel === null ? recordUnknown(deps) : recordTogether(deps))
      await requireOwnChannels(deps.database.db)
      return adoptUnrecorded(deps, payment)
    },
    build: head => buildWithXlm(deps, payment, { treasury, channel }, head, reach === 'claimable'),
    raiseFee: xdr => raiseFee(xdr, feeRaise(deps)),
    wrap: xdr => wrap(deps, xdr),
  })
  const applied = await store.current()
  if (!applied) throw new Error('a settled payment has no envelope')
  // What was paid through the channels before they were closed.
  if (payment.purpose === 'close-channels') await recordUpTo(deps, applied.sequence)
  await finish(deps, payment, applied, await feeOf(deps, applied.hash))
  deps.faults.at('payment:noted')
}

/** What it was to close is closed already. */
async function cancelUpkeep({ database }: Deps, { id }: LedgerPayment): Promise<void> {
  await database.db.transaction().execute(tx => cancelPayment(tx, id))
}

/** A channel has no XLM: the distribution account pays the fee. */
async function wrap(deps: Deps, xdr: string): Promise<string> {
  const { accounts, network } = deps.config.anchor
  const { source } = TransactionBuilder.fromXdr(xdr, network.passphrase) as Transaction
  return source === accounts.distribution ? xdr : payFee(xdr, feeRaise(deps))
}

/** After an older state was restored: the payment may have been made, and then nothing else about it is to be done. */
async function adopted(
  deps: Deps,
  payment: LedgerPayment,
  store: EnvelopeStore,
): Promise<Awaited<ReturnType<EnvelopeStore['current']>>> {
  const restored = await restoredAt(deps.database.db)
  if (restored === null) return null
  // What is queued later follows from what was read since, and closing channels reads by itself.
  if (payment.created_at <= restored && !isUpkeep(payment)) await recordUnknown(deps)
  return (await adoptUnrecorded(deps, payment)) ? store.current() : null
}

const feeRaise = ({ config, horizon, distribution }: Deps): FeeRaise => ({
  horizon,
  max: config.maxFee,
  networkPassphrase: config.anchor.network.passphrase,
  payer: distribution,
})

/** Throws {@link XlmShortage} before anything is signed: a transaction without enough XLM is refused, for a fee. */
async function buildWithXlm(
  deps: Deps,
  payment: LedgerPayment,
  { treasury, channel }: { treasury: HorizonAccount | null; channel: string | null },
  head: LedgerHead,
  asClaimable: boolean,
): Promise<Transaction> {
  const { config, horizon } = deps
  const source = channel === null ? treasury : await horizon.account(channel)
  if (!treasury || !source) {
    throw new LedgerError('ledger-unavailable', 'The account is not on the ledger.')
  }
  const fee = await feeBid(horizon, config.maxFee)
  // A claimable balance holds a reserve of its creator for each claimant until it is claimed.
  const amount = payment.asset === 'native' ? parseAmount(payment.amount) : 0n
  const resources = isContract(payment.destination)
    ? await simulatePayment(deps, payment, source, head, fee)
    : undefined
  const reserve = asClaimable ? CLAIMANTS * head.baseReserve : 0n
  const needed = fee + (resources?.resourceFee ?? 0n) + amount + reserve
  const missing = needed - spendableXlm(treasury, head.baseReserve)
  if (missing > 0n) throw new XlmShortage(missing)
  if (isUpkeep(payment)) {
    const maxTime = Math.floor(head.closedAt.getTime() / 1_000) + VALID_SECONDS
    const upkeep = await buildUpkeep(deps, payment, { treasury, head, fee, maxTime })
    if (upkeep) return upkeep
    throw new LedgerError('ledger-unavailable', 'Payments through the channels are still open.')
  }
  const reclaimed = reclaimedBalance(payment)
  return buildPayment(deps, payment, source, head, {
    asClaimable,
    fee,
    ...(reclaimed ? { reclaimed } : {}),
    ...(resources ? { resources } : {}),
  })
}

/** A claimable balance where the account cannot receive the asset and the wallet understands them; else the reason. */
async function howToReach(
  { horizon, config }: Deps,
  payment: LedgerPayment,
): Promise<'payment' | 'claimable' | ReceiveFault> {
  // It has no trustlines: the asset's contract keeps what it holds.
  if (isContract(payment.destination)) return 'payment'
  const base = baseAccount(payment.destination)
  const account = await horizon.account(base)
  // Who has an account can receive XLM; who has none is said to need a trustline of the first asset too.
  const asset = servedAsset(config.anchor, payment.asset === 'native' ? null : payment.asset)
  if (account && (base === asset.issuer || payment.asset === 'native')) return 'payment'
  const fault = receiveFault(account, idOf(asset), parseAmount(payment.amount))
  if (fault === null) return 'payment'
  return payment.claimable ? 'claimable' : fault
}

const trustMessages: Readonly<Record<ReceiveFault, (code: string) => string>> = {
  'no-account': code =>
    `The account does not exist. Create it and add a trustline for ${code} to receive it.`,
  'no-trustline': code => `Trustline missing. Add a trustline for ${code} to receive it.`,
  'not-authorized': code => `The issuer has not authorized the trustline for ${code}. It is checked again.`,
  'trustline-full': code =>
    `The trustline cannot hold the amount. Raise its limit or cancel offers to buy ${code}.`,
}

const UNCOVERED = 'The anchor cannot pay out this amount. Your payment is refunded.'

/** What a queued payment waits for, in a word. */
export function reasonOf(
  waitsFor: string | null,
): 'nothing' | 'treasury' | 'xlm' | 'operator' | 'trustline' | 'ledger' {
  if (waitsFor === null) return 'nothing'
  if (waitsFor === SHORT || waitsFor === FROZEN) return 'treasury'
  if (waitsFor === UNPROVEN || waitsFor === SCREENED || waitsFor.startsWith(LACKS_DATA)) return 'operator'
  if (waitsFor.endsWith(' XLM')) return 'xlm'
  return /trustline|account does not exist/i.test(waitsFor) ? 'trustline' : 'ledger'
}

/** A deposit that was paid for is honoured as soon as the treasury allows it, or refunded over its rail after a day. */
async function waitForTreasury(
  deps: Deps,
  payment: LedgerPayment,
  message: typeof SHORT | typeof FROZEN,
): Promise<void> {
  if (payment.purpose === 'sweep')
    return deps.database.db.transaction().execute(tx => cancelSweep(tx, payment))
  const waited = (deps.clock.now().getTime() - payment.created_at.getTime()) / 1000
  const deposit = payment.purpose === 'deposit' ? payment.transfer_id : null
  if (deposit !== null && waited > DAY_SECONDS) return refundUncovered(deps, deposit)
  deps.logger.error({ payment: payment.id, message }, 'the distribution account cannot make a payment')
  await deps.database.db.transaction().execute(async tx => {
    await later(deps, payment, TREASURY_RETRY_SECONDS, message, { tx })
    if (payment.waits_for === message) return
    const account = deps.config.anchor.accounts.distribution
    const { amount, asset } = payment
    const shortage = { account, transactionId: deposit, ...assetField(asset), amount, message }
    await publishEvent(tx, 'treasury.asset_low', shortage)
    // A wallet that waits for a trustline has its reason.
    const transfer = deposit === null ? null : await lockTransfer(tx, deposit)
    if (transfer?.state !== 'funded') return
    await queueSepCalls(tx, transfer.id, [['notify_amounts_updated', { message }]])
  })
  if (payment.waits_for !== message) deps.wake.emit('conditions')
  deps.wake.emit('sepCalls')
}

async function refundUncovered(deps: Deps, transferId: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockPaymentsOf(tx, transferId)
    await refundDeposit(tx, await lockTransfer(tx, transferId), UNCOVERED)
  })
  deps.wake.emit('sepCalls')
  deps.wake.emit('railOrders')
}

async function waitForTrust(deps: Deps, payment: LedgerPayment, fault: ReceiveFault): Promise<void> {
  const waited = (deps.clock.now().getTime() - payment.created_at.getTime()) / 1000
  const { least, most } = TRUST_RETRY_SECONDS
  const longest = waited > DAY_SECONDS ? MAX_REFUSED_RETRY_SECONDS : most
  const pause = Math.round(Math.min(longest, Math.max(least, waited / 20)))
  const message = trustMessages[fault](codeOf(deps, payment))
  await later(deps, payment, pause, message)
  if (payment.purpose !== 'deposit' || !payment.transfer_id) return
  await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, payment.transfer_id ?? '')
    if (transfer.state !== 'funded') return
    await move(tx, transfer, 'awaiting_trust', {}, [['request_trust', { message }]])
  })
  deps.wake.emit('sepCalls')
}

const codeOf = ({ config }: Deps, { asset }: LedgerPayment): string =>
  servedAsset(config.anchor, asset === 'native' ? null : asset).code

async function finish(
  deps: Deps,
  payment: LedgerPayment,
  { hash, xdr }: { hash: string; xdr: string },
  fee: string | null,
): Promise<void> {
  const created = createdBalance(xdr, deps.config.anchor.network.passphrase)
  await deps.database.db.transaction().execute(async tx => {
    const paid = await tx
      .updateTable('ledger_payments')
      .set({ state: 'paid', hash, waits_for: null, paid_at: sql<Date>`now()`, fee_charged: fee })
      .where('id', '=', payment.id)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (paid.numUpdatedRows === 0n) return
    if (isUpkeep(payment)) return finishUpkeep(tx, payment, xdr, deps.config.anchor.network.passphrase)
    await recordLedgerPayment(tx, payment, deps.config.anchor.accounts.distribution)
    const reclaimed = reclaimedBalance(payment)
    if (reclaimed) return redeliver(deps, tx, reclaimed)
    await endUnproven(tx, hash)
    await release(tx, reservationOf(payment))
    if (created) await recordBalance(tx, payment, created)
    if (!payment.transfer_id) return
    if (payment.purpose === 'redelivery') return noteRedelivered(tx, payment.transfer_id, hash)
    const transfer = await lockTransfer(tx, payment.transfer_id)
    if (payment.purpose === 'refund') {
      await move(tx, transfer, 'returned', {}, [refundSent(deps, payment, hash, transfer.message)])
      return
    }
    const trusted: SepCall[] =
      transfer.state === 'awaiting_trust' ? [['notify_trust_set', { success: true }]] : []
    const change = { ledger_hash: hash, claimable_balance_id: created?.id ?? null }
    await move(tx, transfer, 'completed', change, [
      ...trusted,
      [
        'notify_onchain_funds_sent',
        {
          stellar_transaction_id: hash,
          ...(created
            ? { claimable_balance_id: created.id, ...claimRule(codeOf(deps, payment), created) }
            : {}),
        },
      ],
    ])
  })
  deps.wake.emit('sepCalls')
}

function refundSent({ config }: Deps, payment: LedgerPayment, hash: string, message: string | null): SepCall {
  const asset = payment.asset === 'native' ? 'native' : assetName(servedAsset(config.anchor, payment.asset))
  const amount = { amount: formatAmount(parseAmount(payment.amount)), asset }
  const refund = { id: hash, amount, amount_fee: { amount: '0', asset } }
  return ['notify_refund_sent', { refund, ...(message ? { message } : {}) }]
}

/** What happens to a claimable balance that nobody claims, for the wallet. */
function claimRule(code: string, { reclaimAt }: CreatedBalance): { message?: string } {
  if (reclaimAt === null) return {}
  const day = reclaimAt.toISOString().slice(0, 10)
  return {
    message: `Claim the balance by ${day}. After that the anchor takes it back and pays it to the account once it can receive ${code}.`,
  }
}

/** XLM that the ledger charged for a transaction; null where Horizon does not say. */
async function feeOf({ horizon }: Deps, hash: string): Promise<string | null> {
  const found = await horizon.transaction(hash).catch(() => null)
  return found?.feeCharged === undefined ? null : formatAmount(amountOf(found.feeCharged))
}

/** Nothing is tried again on each ledger: what was refused costs a fee each time, and what is missing comes slowly. */
async function postpone(deps: Deps, payment: LedgerPayment, error: unknown): Promise<void> {
  const why = (error as Error).message.slice(0, 200)
  const isFinal = error instanceof XlmShortage || isRefusal(error)
  // Payments go out without more channels too.
  if (isFinal && payment.purpose === 'open-channels') {
    deps.logger.warn({ err: error }, 'no channels were opened')
    const canceled = await deps.database.db.transaction().execute(tx => cancelPayment(tx, payment.id))
    if (canceled) return
  }
  if (error instanceof XlmShortage) {
    if (payment.waits_for !== why) await alertShortage(deps, payment, why)
    return later(deps, payment, XLM_RETRY_SECONDS, why)
  }
  deps.logger.warn({ err: error, payment: payment.id }, 'a payment on the ledger waits')
  const unconfirmed = error instanceof LedgerError && error.code === 'submission-unconfirmed'
  if (unconfirmed && (await reportUnproven(deps, payment)))
    return later(deps, payment, UNPROVEN_RETRY_SECONDS, UNPROVEN)
  // The signer's refusals are shown to the operator there.
  const refused = isRefusal(error) || (error instanceof LedgerError && error.code === 'transaction-refused')
  if (!refused) return later(deps, payment, Math.max(FAULT_RETRY_SECONDS, retryAfter(error)), why)
  const pause = Math.min(MAX_REFUSED_RETRY_SECONDS, FAULT_RETRY_SECONDS * 3 ** Math.min(payment.attempts, 7))
  await later(deps, payment, pause, why, { attempts: payment.attempts + 1 })
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
  why: string,
  { attempts = before, tx = deps.database.db }: { attempts?: number; tx?: Db<Tables> } = {},
): Promise<void> {
  await tx
    .updateTable('ledger_payments')
    .set({ next_try_at: sql<Date>`now() + ${seconds} * interval '1 second'`, waits_for: why, attempts })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
}
