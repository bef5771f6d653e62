import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { RateAnswer, RateRequest } from '@windlass/contracts/anchor/anchor-platform.ts'
import { assetName, servedAssets, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { AmountError, formatAmount, parsePositiveAmount, type Amount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { parseMoney } from '@windlass/money/number-text.ts'
import {
  type Price,
  PriceError,
  depositFor,
  depositOf,
  feeInMoney,
  forPayment,
  ratio,
  withdrawalFor,
  withdrawalOf,
} from '@windlass/money/price.ts'
import { formatRate, type Rate } from '@windlass/money/rate.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { exchangeTerms, quotedRate } from '../../money/pricing/exchange-rate.ts'
import { samePersons } from '../../people/customers/same-person.ts'
import { findKyc } from '../../people/customers/sep12.ts'
import { personOf } from '../../people/customers/tiers.ts'
import { hasAgreement } from '../../people/sending-anchors/agreements.ts'
import type { Rail } from '../../rails/rail.ts'
import { currentSettings, recentSettings } from '../../money/settings/settings.ts'
import { feeScheduleOf, isRailOn, limitsOf, requireOpen, termsOf } from '../../money/settings/terms.ts'
import type { Tables, TransferTerms } from '../../tables.ts'
import {
  payableBalance,
  CLIENT_SHARE,
  CUSTOMER_SHARE,
  reserve,
  RESERVED_SECONDS,
} from '../../money/treasury/treasury.ts'
import { addQuote, heldRates, openReservations, type HeldRates } from './firm-rates.ts'

/** How long a firm rate holds unless the wallet asks for more, up to RESERVED_SECONDS. */
const FIRM_SECONDS = 300

/** Largest transactions whose prices all customers hold at once, and those of them who are not verified. */
const AT_ONCE = 20n
const UNVERIFIED_AT_ONCE = 5n

/** What one customer may have open, all assets together. */
const MAX_OPEN_QUOTES = 20

/**
 * `GET /rate`: indicative, or firm. A firm rate for a customer with accepted KYC has its capacity reserved; for others it
 * fixes the price only, because anyone can create accounts. Throws `validation-failed`.
 */
export async function answerRate(deps: Deps, request: RateRequest): Promise<RateAnswer> {
  const { priced, rate, deposit, currency, terms, rail, asset } = await priceOf(deps, request)
  const form = rateForm(priced, rate, deposit, currency, assetName(asset))
  if (request.type === 'indicative') return { rate: form }
  const expiresAt = expiryOf(request, deps.clock.now())
  const isAgreed = await isSendingAnchor(deps, request)
  const { isAccepted, person } = await readIdentity(deps, request, isAgreed)
  const isVerified = isAgreed || isAccepted
  const reserved = deposit && isVerified
  const { max } = limitsOf(deps.config.anchor.plan, { terms })
  const id = await deps.database.db.transaction().execute(async tx => {
    const holder = isAgreed ? null : person
    await checkHeld(deps, tx, { asset: asset.key, person: holder, isVerified, amount: priced.amount, max })
    if (reserved) await checkShare(deps, tx, request, { asset: asset.key, amount: priced.amount })
    const id = await addQuote(deps, tx, {
      sell_asset: request.sell_asset,
      buy_asset: request.buy_asset,
      asset: asset.key,
      amount: formatAmount(priced.amount),
      fee: formatAmount(priced.fee),
      fiat_amount: formatAmount(priced.fiat),
      currency,
      rate: formatRate(rate),
      exchange: exchangeTerms(deps.config.fx, {
        ...{ anchoredTo: asset.anchoredTo, currency, spread: terms.spread, at: deps.clock.now() },
        isLive: deps.config.anchor.fxRatesWithin !== undefined,
      }),
      client_id: request.client_id ?? null,
      client_memo: request.client_memo ?? null,
      client_domain: request.client_domain ?? null,
      ...{ person, is_verified: isVerified, reserved },
      expires_at: expiresAt,
      transfer_id: null,
      terms: JSON.stringify(terms),
      rail,
    })
    if (reserved) await reserve(deps, tx, { id, asset: asset.key, amount: priced.amount, expiresAt })
    return id
  })
  return { rate: { id, expires_at: expiresAt.toISOString(), ...form } }
}

/** An anchor with an agreement asks for its customers, whom it has identified: their quotes are no one person's. */
const isSendingAnchor = async (deps: Deps, { client_id }: RateRequest): Promise<boolean> =>
  client_id !== undefined && (await hasAgreement(deps, client_id))

/**
 * Whether who asks is accepted, and whose quotes are counted together: a person's, whatever their accounts, where it is known who
 * they are.
 */
async function readIdentity(
  deps: Deps,
  { client_id: account, client_memo }: RateRequest,
  isAgreed: boolean,
): Promise<{ isAccepted: boolean; person: string }> {
  const { db } = deps.database
  const memo = client_memo || null
  const kyc = account && !isAgreed ? await findKyc(deps, { account, memo }) : null
  const isKnown = account && (isAgreed || kyc)
  const id = kyc?.centralId ?? (isKnown ? (await personOf(db, account, memo)).id : null)
  const person = id ? (await samePersons(db, id))[0] : [account, client_memo].filter(Boolean).join(' ')
  return { isAccepted: kyc?.status === 'ACCEPTED', person }
}

/**
 * Bounds the prices that are held at once: who holds one may wait which way the market moves (ADR 163). Throws
 * `validation-failed`.
 */
async function checkHeld(
  deps: Deps,
  tx: Db<Tables>,
  wanted: { asset: AssetKey; person: string | null; isVerified: boolean; amount: Amount; max: string },
): Promise<void> {
  const held = await heldRates(tx, wanted.asset, wanted)
  const max = parsePositiveAmount(wanted.max)
  const beyond = ({ count, amount }: HeldRates, most: bigint) => count > 0 && amount + wanted.amount > most
  if (wanted.person !== null && beyond(held.person, max))
    throw wrong('quotes hold as much as you may exchange at once; wait until one expires')
  if (!wanted.isVerified && beyond(held.unverified, max * UNVERIFIED_AT_ONCE))
    throw wrong('too many quotes are open; verify your identity first, or wait some minutes')
  if (!beyond(held.unreserved, max * AT_ONCE)) return
  if (beyond(held.unreserved, await payableBalance(deps, wanted.asset)))
    throw wrong('too many quotes are open at this anchor; wait some minutes')
}

/** Bounds what open quotes of one customer, and of one wallet application, hold together. Throws `validation-failed`. */
async function checkShare(
  deps: Deps,
  tx: Db<Tables>,
  { client_id, client_memo, client_domain }: RateRequest,
  { asset, amount }: { asset: AssetKey; amount: Amount },
): Promise<void> {
  const owner = { account: client_id ?? '', memo: client_memo ?? null, clientDomain: client_domain ?? null }
  const open = await openReservations(tx, asset, owner)
  if (open.quotes === 0 && open.client.count === 0) return
  const balance = await payableBalance(deps, asset)
  const beyond = ({ count, amount: held }: HeldRates, share: bigint) =>
    count > 0 && (held + amount) * share > balance
  if (open.quotes >= MAX_OPEN_QUOTES || beyond(open.customer, CUSTOMER_SHARE)) {
    throw wrong('too much is reserved by open quotes of this account; use one, or wait until one expires')
  }
  if (beyond(open.client, CLIENT_SHARE)) {
    throw wrong('too much is reserved by open quotes of this client; wait until one expires')
  }
}

async function priceOf(deps: Deps, request: RateRequest) {
  const { anchor, fx } = deps.config
  const served = servedAssets(anchor)
  const named = (name: string) => served.find(each => assetName(each) === name)
  const deposit = named(request.buy_asset) !== undefined
  const asset = named(request.buy_asset) ?? named(request.sell_asset)
  if (!asset) throw wrong(`one of the assets must be ${served.map(assetName).join(' or ')}`)
  const other = deposit ? request.sell_asset : request.buy_asset
  const currency = /^iso4217:([A-Z]{3})$/.exec(other)?.[1]
  const { settings } =
    request.type === 'indicative' ? await recentSettings(deps) : await currentSettings(deps, deps.database.db)
  const direction = deposit ? 'deposit' : 'withdrawal'
  const terms = termsOf(settings, direction)
  const { spread } = terms
  const rate = currency ? quotedRate(fx, asset.anchoredTo, currency, { direction, spread }) : null
  if (!currency || !rate) throw new Problem('unsupported-pair', `There is no rate for ${other}.`)
  const method = deposit ? request.sell_delivery_method : request.buy_delivery_method
  const rails = railsFor(deps, currency, method)
  const price = ({ name: rail }: Pick<Rail, 'name'>) =>
    calculate(request, { deposit, currency, fees: feeScheduleOf(anchor.plan, { terms, rail }), rate })
  const offered = rails.filter(each => isRailOn(settings, each, direction))
  // Without a delivery method it is not known over which rail the money moves: the price is the worst.
  const [first, ...others] = (offered.length > 0 ? offered : [{ name: '' }]).map(price)
  if (!first) throw new Error('there is always a price')
  const priced = others.reduce((worst, each) => (isWorse(each, worst, deposit) ? each : worst), first)
  const rail = method ? (rails[0]?.name ?? null) : null
  if (request.type === 'firm') {
    // An indicative price is information: limits and pauses are for what is agreed.
    checkLimits(priced.amount, limitsOf(anchor.plan, { terms }), asset.code)
    requireOpen(settings, offered[0] ?? rails[0] ?? { name: '' }, direction)
  }
  return { priced, rate, deposit, currency, terms, rail, asset }
}

/** For the customer, who pays or gets less of one side for the same of the other. */
const isWorse = (a: Price, b: Price, deposit: boolean): boolean =>
  deposit ? a.fiat * b.amount > b.fiat * a.amount : a.amount * b.fiat > b.amount * a.fiat

/** The rails that move a currency; with a delivery method only that one. */
function railsFor({ config, rails }: Deps, currency: string, method: string | undefined): Rail[] {
  const { anchoredTo } = config.anchor.plan.asset
  return [...rails.values()].filter(
    rail => rail.currency === currency && (!method || railKind(rail.name, anchoredTo).method === method),
  )
}

function calculate(
  { sell_amount, buy_amount }: RateRequest,
  { deposit, currency, fees, rate }: { deposit: boolean; currency: string; fees: FeeSchedule; rate: Rate },
): Price {
  const rounding = forPayment(currency)
  try {
    if (sell_amount !== undefined) {
      return deposit
        ? depositFor(parseMoney(sell_amount, currency), fees, rate)
        : withdrawalOf(parsePositiveAmount(sell_amount), fees, rate, rounding)
    }
    return deposit
      ? depositOf(parsePositiveAmount(buy_amount ?? ''), fees, rate, rounding)
      : withdrawalFor(parseMoney(buy_amount ?? '', currency), fees, rate)
  } catch (error) {
    if (error instanceof PriceError || error instanceof AmountError) throw wrong(error.message)
    throw error
  }
}

function checkLimits(amount: Amount, { min, max }: TransferTerms['limits'], code: string): void {
  const given = `; this is ${formatAmount(amount)} ${code}`
  if (amount < parsePositiveAmount(min)) throw wrong(`the amount must be at least ${min} ${code}${given}`)
  if (amount > parsePositiveAmount(max)) throw wrong(`the amount must be at most ${max} ${code}${given}`)
}

/** SEP-38's form: prices are units sold for one bought, and the fee is in what is sold. */
function rateForm(price: Price, rate: Rate, deposit: boolean, currency: string, asset: string) {
  const [sold, bought] = deposit ? [price.fiat, price.amount] : [price.amount, price.fiat]
  const fee = deposit ? feeInMoney(price, rate, currency) : price.fee
  const unit = 10n ** BigInt(rate.digits)
  const sellAsset = deposit ? `iso4217:${currency}` : asset
  return {
    price: deposit ? formatRate(rate) : ratio(unit, rate.numerator),
    total_price: ratio(sold, bought),
    sell_amount: formatAmount(sold),
    buy_amount: formatAmount(bought),
    fee: { total: formatAmount(fee), asset: sellAsset },
  }
}

/** As many moments are added up as there are within RESERVED_SECONDS, however many quotes are open. */
const EXPIRY_STEP_MS = 5_000

function expiryOf({ expire_after }: RateRequest, now: Date): Date {
  const standard = stepAfter(now.getTime() + FIRM_SECONDS * 1000)
  if (!expire_after) return standard
  const wanted = new Date(expire_after)
  if (Number.isNaN(wanted.getTime())) throw wrong('expire_after must be an ISO 8601 time')
  if (wanted.getTime() > now.getTime() + RESERVED_SECONDS * 1000)
    throw wrong(`expire_after must be within ${RESERVED_SECONDS / 60} minutes`)
  return wanted > standard ? stepAfter(wanted.getTime()) : standard
}

const stepAfter = (time: number) => new Date(Math.ceil(time / EXPIRY_STEP_MS) * EXPIRY_STEP_MS)

const wrong = (message: string) => new Problem('validation-failed', message)
