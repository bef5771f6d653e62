import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Selectable } from 'kysely'
import { randomBytes, randomInt } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { requireNoDebt } from './debts.ts'
import { requireNoDispute } from './disputes.ts'
import { personOf, senderOf } from '../people/customers/tiers.ts'
import { takeQuote } from './quotes/firm-rates.ts'
import type { SepCall } from '../outgoing/sep-calls/sep-calls.ts'
import { requireCovered } from '../money/reserves/safeguarding.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { limitsOf, requireOpen } from '../money/settings/terms.ts'
import type { FirmRateTable, Tables, Transfer, TransferChange } from '../tables.ts'
import { isPricedAtArrival, pricedAt, sepAmounts } from './amounts.ts'
import { bindTerms, isUpgrading, proofOfTerms } from './bound-terms.ts'
import { requireServed } from './countries.ts'
import { maskAccount, openDestination } from './destination.ts'
import { findTransfer, lockTransfer, unpaidDeposits } from './find.ts'
import { remainingByTier, requireWithinTier } from './limits.ts'
import { move } from './move.ts'
import { requirePayable } from './payable.ts'
import { rateCustomerOf } from './risk.ts'
import { keepSnapshot } from './snapshots.ts'
import { requireTravelData } from './travel-data.ts'
import {
  payableBalance,
  CapacityError,
  CLIENT_SHARE,
  CUSTOMER_SHARE,
  readTreasury,
  release,
  reserve,
  RESERVED_SECONDS,
  reservedUnder,
} from '../money/treasury/treasury.ts'

/** How long the customer has to pay, by what the rail needs. */
const PAY_SECONDS = { instant: 60 * 60, under_60_minutes: 24 * 60 * 60 } as const

/**
 * The customer confirmed and is verified: a payment may come from here on. Fixes the amounts, reserves capacity, and
 * sends the payment instructions to the SEP server. A transfer without an amount accepts any amount within the limits.
 * Does nothing the second time; throws `validation-failed` if the amounts or the treasury do not allow it.
 *
 * @param seen the price that the customer agreed to, where they saw one
 */
export async function confirm(deps: Deps, id: string, seen?: SeenPrice): Promise<Transfer> {
  await deps.refreshRates()
  const begun = await findTransfer(deps.database.db, id)
  if (begun && isUnconfirmed(begun)) await requirePayable(deps, begun)
  const moved = await deps.database.db.transaction().execute(async tx => {
    const transfer = await lockTransfer(tx, id)
    if (!isUnconfirmed(transfer)) return transfer
    const { settings } = await currentSettings(deps, tx)
    await requireNoDebt(tx, transfer)
    await requireNoDispute(tx, transfer)
    requireOpen(settings, deps.rails.get(transfer.rail) ?? { name: transfer.rail }, transfer.direction)
    if (transfer.direction === 'deposit') await requireCovered(deps, tx)
    const { quoteUntil, ...amounts } = await settle(deps, tx, transfer)
    requireCurrency(deps, { ...transfer, ...amounts })
    if (seen && amounts.fiat_amount && !isSeen(seen, amounts.fiat_amount)) throw new PriceChanged()
    const person =
      transfer.sep === '31'
        ? await senderOf(tx, transfer.customer_id)
        : (await personOf(tx, transfer.account, transfer.account_memo)).id
    const agreed = { ...transfer, ...amounts, person }
    await rateCustomerOf(deps, tx, agreed)
    if (agreed.amount !== null) await requireWithinTier(deps, tx, transfer, parseAmount(agreed.amount))
    await requireServed(deps, tx, agreed)
    await requireTravelData(deps, tx, agreed)
    await keepSnapshot(deps, tx, agreed, 'agreed')
    const time = deps.clock.now().getTime() + PAY_SECONDS[deps.config.anchor.plan.settlement] * 1000
    const until = quoteUntil ?? new Date(time)
    if (transfer.direction === 'deposit') return confirmDeposit(deps, tx, agreed, transfer, until)
    return bindTerms(deps, tx, await confirmWithdrawal(deps, tx, agreed, transfer, until))
  })
  deps.wake.emit('sepCalls')
  // Channels are opened before many customers pay.
  if (moved.direction === 'deposit') deps.wake.emit('ledgerPayments')
  return moved
}

const isUnconfirmed = ({ state }: Transfer): boolean => state === 'new' || state === 'identifying'

/** The transfer's firm quote has expired. */
export class QuoteExpired extends Problem {
  constructor() {
    super('validation-failed', 'the quote has expired; start again with a new quote')
  }
}

/** In the currency of the rail. */
interface SeenPrice {
  money: string
}

const isSeen = ({ money }: SeenPrice, agreed: string): boolean =>
  /^\d{1,12}(\.\d{1,7})?$/.test(money) && parseAmount(money) === parseAmount(agreed)

/** The exchange rate moved since the customer saw the price. */
export class PriceChanged extends Problem {
  constructor() {
    super('validation-failed', 'the exchange rate has changed; look at the new amounts')
  }
}

/** A rail pays in its own currency whatever the transaction says. */
function requireCurrency({ rails }: Deps, { rail, currency }: Pick<Transfer, 'rail' | 'currency'>): void {
  if ((rails.get(rail)?.currency ?? currency) === currency) return
  throw new Problem('validation-failed', `${rail} does not pay ${currency}; start again`)
}

type Agreed = Partial<Pick<Transfer, 'amount' | 'fee' | 'fiat_amount' | 'rate' | 'exchange' | 'currency'>> & {
  /** The end of a firm quote: it is honoured for money that comes before. */
  quoteUntil?: Date
}

/** The amounts: a firm quote's while it holds, else by today's rate. */
async function settle(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<Agreed> {
  if (transfer.quote_id) return quoted(deps, tx, transfer)
  if (transfer.amount === null) return {}
  return pricedAt(deps.config, transfer, parseAmount(transfer.amount), deps.clock.now())
}

async function quoted(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<Agreed> {
  const of = { id: transfer.quote_id ?? '', transferId: transfer.id, isUpgrading: await isUpgrading(tx) }
  const quote = await takeQuote(deps, tx, of)
  if (!quote || !isQuoteOf(deps, quote, transfer)) throw new QuoteExpired()
  await release(tx, quote.id)
  const { amount, fee, fiat_amount, currency, rate, exchange, expires_at } = quote
  return { amount, fee, fiat_amount, currency, rate, exchange, quoteUntil: expires_at }
}

/** Whether a quote is of this exchange: a proof says what was quoted, not which transfer may take it. */
function isQuoteOf(
  { config }: Deps,
  quote: Pick<Selectable<FirmRateTable>, 'sell_asset' | 'buy_asset' | 'asset' | 'currency' | 'rail'>,
  { direction, asset, rail }: Transfer,
): boolean {
  const money = `iso4217:${quote.currency}`
  const units = assetName(servedAsset(config.anchor, asset))
  const [sold, bought] = direction === 'deposit' ? [money, units] : [units, money]
  const isExchange = quote.asset === asset && quote.sell_asset === sold && quote.buy_asset === bought
  return isExchange && (quote.rail === null || quote.rail === rail)
}

async function confirmDeposit(
  deps: Deps,
  tx: Db<Tables>,
  agreed: Transfer,
  locked: Transfer,
  until: Date,
): Promise<Transfer> {
  const reference = `W${randomBytes(8).toString('hex').toUpperCase()}`
  if (agreed.amount !== null) await reserveUnpaid(deps, tx, agreed, parseAmount(agreed.amount), until)
  const details = paymentRequest(deps, { ...agreed, reference }, until)
  const bound = proofOfTerms(deps, { ...agreed, reference })
  return move(
    tx,
    locked,
    'awaiting_funds',
    { ...agreedOf(agreed), message: null, notice: null, reference, bound, expires_at: until },
    [...interactiveDone(agreed, deps), ['request_offchain_funds', details]],
  )
}

/** How the customer of a deposit pays, and until when, as the SEP server shows it. */
export function paymentRequest(deps: Deps, agreed: Transfer, until: Date) {
  const rail = deps.rails.get(agreed.rail)
  if (!rail) throw new Problem('validation-failed', `the rail ${agreed.rail} is no longer available`)
  const instructions = rail.instructions({ reference: agreed.reference ?? '', amount: agreed.fiat_amount })
  return {
    ...sepAmounts(deps.config.anchor, agreed),
    instructions: Object.fromEntries(
      instructions.map(({ field, value, label }) => [field, { value, description: label }]),
    ),
    user_action_required_by: until.toISOString(),
    kyc_verified: true,
  }
}

/**
 * Reserves a deposit that is agreed and not paid, for a short time: money that comes later is still honoured, or
 * refunded where the treasury cannot cover it. Beyond a customer's first unpaid deposit, and after one that nobody paid
 * within a day, their deposits hold a tenth of the balance together, and those of one wallet application a quarter.
 *
 * @throws {CapacityError}
 */
async function reserveUnpaid(
  deps: Deps,
  tx: Db<Tables>,
  agreed: Transfer,
  amount: Amount,
  until: Date,
): Promise<void> {
  const shortly = deps.clock.now().getTime() + RESERVED_SECONDS * 1000
  const { id, asset } = agreed
  await reserve(deps, tx, { id, asset, amount, expiresAt: new Date(Math.min(until.getTime(), shortly)) })
  const { customer, expired, client } = await unpaidDeposits(tx, agreed)
  if (customer.length + expired + client.length === 0) return
  const balance = await payableBalance(deps, asset)
  const beyond = async (ids: string[], share: bigint) =>
    ((await reservedUnder(tx, ids, asset)) + amount) * share > balance
  if (customer.length + expired > 0 && (await beyond(customer, CUSTOMER_SHARE))) {
    throw new CapacityError('too much is reserved by unpaid deposits of this account; pay one, or wait')
  }
  if (client.length > 0 && (await beyond(client, CLIENT_SHARE))) {
    throw new CapacityError('too much is reserved by unpaid deposits of this wallet; wait until one is paid')
  }
}

/** For wallets; the pages say it in the customer's language. */
export const PRICED_AT_ARRIVAL =
  'The exchange rate is that of the moment when your payment arrives. A firm quote (SEP-38) holds a rate for minutes.'

function confirmWithdrawal(
  deps: Deps,
  tx: Db<Tables>,
  agreed: Transfer,
  locked: Transfer,
  until: Date,
): Promise<Transfer> {
  // About 57 random bits below 2^63: a memo cannot be guessed, and a unique index keeps two from being equal.
  const ledgerMemo = String(BigInt(randomInt(2 ** 47)) * 1000n + BigInt(randomInt(1000)) + 1n)
  const { dest: account } = openDestination(deps.sealer, agreed)
  const atArrival = isPricedAtArrival(deps.config, agreed)
  const details = {
    ...sepAmounts(deps.config.anchor, agreed),
    destination_account: deps.config.anchor.accounts.distribution,
    memo: ledgerMemo,
    memo_type: 'id' as const,
    ...(account ? { payout_destination: maskAccount(account) } : {}),
    user_action_required_by: until.toISOString(),
    kyc_verified: true,
    ...(atArrival ? { message: PRICED_AT_ARRIVAL } : {}),
  }
  return move(
    tx,
    locked,
    'awaiting_funds',
    { ...agreedOf(agreed), priced_at_arrival: atArrival, ledger_memo: ledgerMemo, expires_at: until },
    [...interactiveDone(agreed, deps), ['request_onchain_funds', details]],
  )
}

function interactiveDone(agreed: Transfer, { config }: Deps): SepCall[] {
  if (agreed.sep !== '24') return []
  const done = { ...sepAmounts(config.anchor, agreed), kyc_verified: true }
  return [
    [
      'notify_interactive_flow_completed',
      { ...done, ...(agreed.customer_id ? { customer_id: agreed.customer_id } : {}) },
    ],
  ]
}

const agreedOf = ({
  person,
  amount,
  fee,
  fiat_amount,
  rate,
  exchange,
  currency,
}: Transfer): TransferChange => ({
  person,
  amount,
  fee,
  fiat_amount,
  rate,
  exchange,
  currency,
})

/**
 * The largest amount that the customer can agree to: within the transaction's limit and what their tier leaves, and of a
 * deposit what the treasury can still reserve. Confirming checks again: until then nothing is reserved. While the ledger
 * does not answer, the treasury counts as full.
 */
export async function largestAmount(
  deps: Deps,
  transfer: Pick<
    Transfer,
    | 'id'
    | 'sep'
    | 'direction'
    | 'asset'
    | 'quote_id'
    | 'terms'
    | 'account'
    | 'account_memo'
    | 'customer_id'
    | 'person'
  >,
): Promise<Amount> {
  const { db } = deps.database
  const limit = parseAmount(limitsOf(deps.config.anchor.plan, transfer).max)
  // A firm quote has its own reservation, and its amount was agreed within the limit.
  if (transfer.quote_id !== null) return limit
  const { settings } = await currentSettings(deps, db)
  const left = await remainingByTier(deps, db, settings, transfer)
  const most = left && left.amount < limit ? left.amount : limit
  // A withdrawal takes nothing out of the treasury.
  if (transfer.direction === 'withdrawal') return most
  const treasury = await readTreasury(deps, transfer.asset).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'the free capacity is unknown: the ledger does not answer')
    return null
  })
  return treasury && treasury.capacity < most ? treasury.capacity : most
}
