import { xdr } from '@stellar/stellar-sdk'
import { amountText, priceText } from '../ledger/amounts.ts'
import { assetFields, assetName, type AssetName } from '../ledger/assets.ts'
import { int64Max, type Offer, type Price } from '../ledger/entries.ts'
import { offerEntry } from '../ledger/entry-xdr.ts'
import type { Frozen } from '../ledger/frozen.ts'
import type { LedgerState } from '../ledger/state.ts'
import { convert, putOffer, releaseOffer } from './crossing.ts'
import { adjustedAmount, atLeastZero, boundBy, least, liabilitiesOf } from './exchange.ts'
import { addBalance, available, isIssuer, room, usable } from './holdings.ts'
import type { Operation, OperationOutcome, Scope } from './operation.ts'
import { createEntry, removeEntry } from './reserves.ts'

const passiveFlag = 1

type Failure =
  | 'Malformed'
  | 'SellNoTrust'
  | 'BuyNoTrust'
  | 'SellNotAuthorized'
  | 'BuyNotAuthorized'
  | 'LineFull'
  | 'Underfunded'
  | 'CrossSelf'
  | 'NotFound'
  | 'LowReserve'

/** What the three operations have in common, seen from who sells. */
interface Order {
  readonly selling: AssetName | undefined
  readonly buying: AssetName | undefined
  readonly id: bigint
  /** What it buys for one unit of what it sells. */
  readonly price: Price
  /** The amount it is limited by, of what it sells or of what it buys. */
  readonly amount: bigint
  readonly limits: 'selling' | 'buying'
  readonly passive: boolean
  failed(code: Failure): xdr.OperationResultTr
  succeeded(result: xdr.ManageOfferSuccessResult): xdr.OperationResultTr
}

// stellar-core answers a passive offer with the result of a sell offer.
const sell = {
  failed: (code: Failure) =>
    xdr.OperationResultTr.manageSellOffer(xdr.ManageSellOfferResult[`manageSellOffer${code}`]()),
  succeeded: (result: xdr.ManageOfferSuccessResult) =>
    xdr.OperationResultTr.manageSellOffer(xdr.ManageSellOfferResult.manageSellOfferSuccess(result)),
}
const buy = {
  failed: (code: Failure) =>
    xdr.OperationResultTr.manageBuyOffer(xdr.ManageBuyOfferResult[`manageBuyOffer${code}`]()),
  succeeded: (result: xdr.ManageOfferSuccessResult) =>
    xdr.OperationResultTr.manageBuyOffer(xdr.ManageBuyOfferResult.manageBuyOfferSuccess(result)),
}

/** A result as the network leaves it for an offer that was never tried: all zeros. */
const untried = xdr.ManageOfferSuccessResult.fromXdr(Buffer.alloc(84))

export function manageSellOffer(op: xdr.ManageSellOfferOp): Operation {
  const { selling, buying, price, amount, offerId } = op
  const order = orderOf(
    selling,
    buying,
    price,
    { id: offerId, amount, limits: 'selling', passive: false },
    sell,
  )
  return offerOperation('manage_sell_offer', 3, order, { price, amount, offer_id: offerId.toString() })
}

export function createPassiveSellOffer(op: xdr.CreatePassiveSellOfferOp): Operation {
  const { selling, buying, price, amount } = op
  const order = orderOf(selling, buying, price, { id: 0n, amount, limits: 'selling', passive: true }, sell)
  return offerOperation('create_passive_sell_offer', 4, order, { price, amount })
}

export function manageBuyOffer(op: xdr.ManageBuyOfferOp): Operation {
  const { selling, buying, price, buyAmount: amount, offerId } = op
  const inverse = { n: price.d, d: price.n }
  const order = orderOf(
    selling,
    buying,
    inverse,
    { id: offerId, amount, limits: 'buying', passive: false },
    buy,
  )
  return offerOperation('manage_buy_offer', 12, order, { price, amount, offer_id: offerId.toString() })
}

function orderOf(
  selling: xdr.Asset,
  buying: xdr.Asset,
  { n, d }: Price,
  given: Pick<Order, 'id' | 'amount' | 'limits' | 'passive'>,
  results: Pick<Order, 'failed' | 'succeeded'>,
): Order {
  return { selling: assetName(selling), buying: assetName(buying), price: { n, d }, ...given, ...results }
}

function offerOperation(
  type: string,
  typeNumber: number,
  order: Order,
  shown: { price: Price; amount: bigint; offer_id?: string },
): Operation {
  const { price, amount, ...more } = shown
  return {
    type,
    typeNumber,
    threshold: 'medium',
    moves: false,
    untried: order.succeeded(untried),
    affects: [],
    malformed: () => (isMalformed(order) ? order.failed('Malformed') : undefined),
    apply: scope => applyOrder(order, scope),
    record: () => ({
      amount: amountText(amount),
      price: priceText(price.n, price.d),
      price_r: { n: price.n, d: price.d },
      ...assetFields(order.buying ?? 'native', 'buying_asset'),
      ...assetFields(order.selling ?? 'native', 'selling_asset'),
      ...more,
    }),
  }
}

function isMalformed({ selling, buying, amount, price, id }: Order): boolean {
  return (
    !selling ||
    !buying ||
    selling === buying ||
    amount < 0n ||
    price.n <= 0 ||
    price.d <= 0 ||
    id < 0n ||
    (id === 0n && amount === 0n)
  )
}

/** The steps and their order are those of stellar-core's ManageOfferOpFrameBase. */
function applyOrder(order: Order, { state, source, ledger: { frozen } }: Scope): OperationOutcome {
  const { selling, buying, failed } = order
  if (!selling || !buying) return failed('Malformed')
  const deletes = order.amount === 0n
  const refused = deletes ? undefined : refusal(state, source, selling, buying)
  if (refused) return failed(refused)

  const old = order.id === 0n ? undefined : state.offer(order.id)
  if (order.id !== 0n && old?.seller !== source) return failed('NotFound')
  const draft: Offer = {
    kind: 'offer',
    id: old?.id ?? 0n,
    seller: source,
    selling,
    buying,
    amount: 0n,
    price: order.price,
    flags: old?.flags ?? (order.passive ? passiveFlag : 0),
    sponsor: old?.sponsor ?? null,
    modified: 0,
  }
  // The reserve of a new offer counts before it takes others, so that it cannot sell what it must keep.
  if (old) releaseOffer(state, old)
  else {
    const reserved = createEntry(state, draft)
    if (reserved === 'too-many') return 'opTooManySubentries'
    if (reserved === 'low-reserve') return failed('LowReserve')
    const sponsor = state.offer(0n)?.sponsor ?? null
    state.remove(draft)
    return place(order, state, frozen, { ...draft, sponsor }, true)
  }
  return deletes ? finish(order, state, draft, [], false) : place(order, state, frozen, draft, false)
}

function refusal(
  state: LedgerState,
  source: string,
  selling: AssetName,
  buying: AssetName,
): Failure | undefined {
  const sells = usable(state, source, selling)
  if (sells === 'no-trust') return 'SellNoTrust'
  const line = state.trustLine(source, selling)
  if (selling !== 'native' && !isIssuer(source, selling) && line?.balance === 0n) return 'Underfunded'
  if (sells === 'not-authorized') return 'SellNotAuthorized'
  const buys = usable(state, source, buying)
  if (buys === 'no-trust') return 'BuyNoTrust'
  return buys === 'not-authorized' ? 'BuyNotAuthorized' : undefined
}

/** Crosses what the order matches and leaves the rest in the book. */
function place(
  order: Order,
  state: LedgerState,
  frozen: Frozen,
  draft: Offer,
  isNew: boolean,
): OperationOutcome {
  const { failed, price, limits, amount } = order
  const { selling, buying, seller } = draft
  const bound = limits === 'selling' ? liabilitiesOf({ price, amount }) : boundBy(price, int64Max, amount)
  if (room(state, seller, buying) < bound.buying) return failed('LineFull')
  if (available(state, seller, selling) < bound.selling) return failed('Underfunded')

  const limited = (sent: bigint, received: bigint) => ({
    maxSend: least(
      ...(limits === 'selling' ? [amount - sent] : []),
      atLeastZero(available(state, seller, selling)),
    ),
    maxReceive: least(
      ...(limits === 'buying' ? [amount - received] : []),
      atLeastZero(room(state, seller, buying)),
    ),
  })
  const start = limited(0n, 0n)
  if (start.maxReceive === 0n) return failed('LineFull')

  const passive = (draft.flags & passiveFlag) !== 0
  const converted = convert(state, {
    send: selling,
    receive: buying,
    ...start,
    rounding: 'offer',
    crossed: 0,
    frozen,
    refuse: offer => {
      // Positive when the offer asks for more than the order gives; multiplied out, so that nothing is rounded.
      const worse = BigInt(offer.price.n) * BigInt(price.n) - BigInt(offer.price.d) * BigInt(price.d)
      if (worse > 0n || (passive && worse === 0n)) return 'bad-price'
      return offer.seller === seller ? 'cross-self' : undefined
    },
  })
  if (converted.status === 'cross-self') return failed('CrossSelf')
  if (converted.status === 'too-many') return 'opExceededWorkLimit'
  addBalance(state, seller, buying, converted.received)
  addBalance(state, seller, selling, -converted.sent)
  if (converted.status === 'ok') return finish(order, state, draft, converted.claims, isNew)
  const rest = limited(converted.sent, converted.received)
  const left = adjustedAmount(price, rest.maxSend, rest.maxReceive)
  return finish(order, state, { ...draft, amount: left }, converted.claims, isNew)
}

function finish(
  order: Order,
  state: LedgerState,
  offer: Offer,
  offersClaimed: readonly xdr.ClaimAtom[],
  isNew: boolean,
): OperationOutcome {
  const Effect = xdr.ManageOfferSuccessResultOffer
  const succeeded = (effect: xdr.ManageOfferSuccessResultOffer) =>
    order.succeeded(new xdr.ManageOfferSuccessResult({ offersClaimed: [...offersClaimed], offer: effect }))
  if (offer.amount === 0n) {
    removeEntry(state, offer)
    return succeeded(Effect.manageOfferDeleted())
  }
  const kept = isNew ? { ...offer, id: state.nextId() } : offer
  putOffer(state, kept)
  const entry = offerEntry(kept)
  return succeeded(isNew ? Effect.manageOfferCreated(entry) : Effect.manageOfferUpdated(entry))
}
