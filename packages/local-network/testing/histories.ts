import fc from 'fast-check'
import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { assetName, poolIdOf } from '../ledger/assets.ts'
import {
  claim,
  claimable,
  clawback,
  clawbackBalance,
  createAccount,
  credit,
  data,
  keySigner,
  lineFlags,
  merge,
  native,
  options,
  pay,
  plain,
  publicKey,
  trust,
  unconditional,
} from './laboratory.ts'

/** Five accounts that pay, issue, revoke, merge and remake one another in every way the rules know. */
export const people = Array.from({ length: 5 }, (_, index) =>
  Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)),
)
const [first = Keypair.random(), second = Keypair.random()] = people
/** The first two people issue an asset each. */
export const credits = [
  { asset: credit('AAA', first), issuer: first },
  { asset: credit('LONGER', second), issuer: second },
]
export const creditNames = credits.map(({ asset }) => assetName(asset) ?? '')

/** What there is in the ledger when a step is taken. */
export interface Existing {
  readonly balances: readonly string[]
  readonly offers: readonly { readonly id: bigint; readonly seller: string }[]
}

/** An operation; which claimable balance or offer it means is settled when it is known what there are. */
export interface Made {
  readonly source: Keypair
  body(existing: Existing): xdr.OperationBody
}

export type Step =
  | {
      readonly act: 'submit'
      readonly source: Keypair
      readonly made: readonly Made[]
      /** Who of those that act has forgotten to sign. */
      readonly forgetful: readonly Keypair[]
      readonly feeEach: number
      /** Off the right sequence by this much. */
      readonly skip: number
      readonly payer: Keypair | undefined
    }
  | { readonly act: 'replay'; readonly which: number }
  | { readonly act: 'close' }
  | { readonly act: 'restart' }

const person = fc.constantFrom(...people)
/** Those who have accounts and lines from the start. */
const trader = fc.constantFrom(...people.slice(0, 4))
const issued = fc.constantFrom(...credits)
const asset = fc.constantFrom(native, ...credits.map(each => each.asset))
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(1n, 600n) },
  { weight: 2, arbitrary: fc.bigInt(1n, 600_000_000n) },
  { weight: 1, arbitrary: fc.constant(2n ** 63n - 1n) },
)
const by = (source: Keypair, body: xdr.OperationBody): Made => ({ source, body: () => body })
const everyone = people.map(each => [each, unconditional] as const)

const price = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 30 }))
  .map(([n, d]) => new xdr.Price({ n, d }))
const pair = fc.tuple(asset, asset).filter(([one, other]) => one !== other)
const few = fc.bigInt(1n, 400n)

interface OfferTerms {
  readonly selling: xdr.Asset
  readonly buying: xdr.Asset
  readonly amount: bigint
  readonly price: xdr.Price
}

export function offer(kind: string, { amount, ...terms }: OfferTerms, offerId = 0n): xdr.OperationBody {
  if (kind === 'buy')
    return xdr.OperationBody.manageBuyOffer(
      new xdr.ManageBuyOfferOp({ ...terms, buyAmount: amount, offerId }),
    )
  return kind === 'passive'
    ? xdr.OperationBody.createPassiveSellOffer(new xdr.CreatePassiveSellOfferOp({ ...terms, amount }))
    : xdr.OperationBody.manageSellOffer(new xdr.ManageSellOfferOp({ ...terms, amount, offerId }))
}

/** A new offer of any kind. */
const offered = fc
  .tuple(trader, pair, few, price, fc.constantFrom('sell', 'sell', 'buy', 'passive'))
  .map(([who, [selling, buying], amount, price, kind]) =>
    by(who, offer(kind, { selling, buying, amount, price })),
  )

/** An offer changed or removed by its maker. */
const changedOffer = fc
  .tuple(person, fc.nat(), pair, fc.constantFrom(0n, 0n, 7n, 90n), price)
  .map(([source, which, [selling, buying], amount, price]): Made => ({
    source,
    body({ offers }) {
      const own = offers.filter(({ seller }) => seller === source.publicKey())
      const id = own[which % Math.max(1, own.length)]?.id ?? 1n
      return offer('sell', { selling, buying, amount, price }, id)
    },
  }))

const path = fc
  .tuple(trader, trader, pair, few, fc.array(asset, { maxLength: 1 }), fc.boolean())
  .map(([from, to, [sendAsset, destAsset], amount, path, strictSend]) => {
    const terms = { sendAsset, destAsset, destination: plain(to), path }
    return by(
      from,
      strictSend
        ? xdr.OperationBody.pathPaymentStrictSend(
            new xdr.PathPaymentStrictSendOp({ ...terms, sendAmount: amount, destMin: 1n }),
          )
        : xdr.OperationBody.pathPaymentStrictReceive(
            new xdr.PathPaymentStrictReceiveOp({ ...terms, destAmount: amount, sendMax: 100_000n }),
          ),
    )
  })

/** Pools of lumens and each credit, and of both credits. */
const poolAssets = fc.constantFrom(...credits.map(each => [native, each.asset] as const), [
  credits[0]?.asset ?? native,
  credits[1]?.asset ?? native,
] as const)
const poolId = (a: xdr.Asset, b: xdr.Asset) =>
  new xdr.PoolId(Buffer.from(poolIdOf(assetName(a) ?? '', assetName(b) ?? ''), 'hex'))

/** What is done with the pool of two assets. */
export const pool = {
  line(assetA: xdr.Asset, assetB: xdr.Asset, limit: bigint): xdr.OperationBody {
    const parameters = new xdr.LiquidityPoolConstantProductParameters({ assetA, assetB, fee: 30 })
    const line = xdr.ChangeTrustAsset.assetTypePoolShare(
      xdr.LiquidityPoolParameters.liquidityPoolConstantProduct(parameters),
    )
    return xdr.OperationBody.changeTrust(new xdr.ChangeTrustOp({ line, limit }))
  },
  deposit(a: xdr.Asset, b: xdr.Asset, maxAmountA: bigint, maxAmountB: bigint): xdr.OperationBody {
    return xdr.OperationBody.liquidityPoolDeposit(
      new xdr.LiquidityPoolDepositOp({
        liquidityPoolId: poolId(a, b),
        maxAmountA,
        maxAmountB,
        minPrice: new xdr.Price({ n: 1, d: 1_000_000 }),
        maxPrice: new xdr.Price({ n: 1_000_000, d: 1 }),
      }),
    )
  },
  withdraw(a: xdr.Asset, b: xdr.Asset, amount: bigint): xdr.OperationBody {
    return xdr.OperationBody.liquidityPoolWithdraw(
      new xdr.LiquidityPoolWithdrawOp({
        liquidityPoolId: poolId(a, b),
        amount,
        minAmountA: 0n,
        minAmountB: 0n,
      }),
    )
  },
}

const pooled = fc
  .tuple(trader, poolAssets, fc.constantFrom('line', 'deposit', 'deposit', 'withdraw'), few, few)
  .map(([who, [a, b], act, one, other]) => {
    if (act === 'line') return by(who, pool.line(a, b, other * 1_000n))
    return by(who, act === 'withdraw' ? pool.withdraw(a, b, one) : pool.deposit(a, b, one, other))
  })

const revoke = (op: xdr.RevokeSponsorshipOp) => xdr.OperationBody.revokeSponsorship(op)

/** The sponsorship of something that may or may not be there is handed on or ended. */
const revoked = fc
  .tuple(person, person, fc.constantFrom('account', 'data', 'line', 'offer', 'signer'), fc.nat(), issued)
  .map(([source, owner, what, which, { asset: of }]): Made => ({
    source,
    body({ offers }) {
      const chosen = offers[which % Math.max(1, offers.length)]
      const accountId = publicKey(owner)
      if (what === 'signer')
        return revoke(
          xdr.RevokeSponsorshipOp.revokeSponsorshipSigner(
            new xdr.RevokeSponsorshipOpSigner({ accountId, signerKey: keySigner(source) }),
          ),
        )
      const sellerId = xdr.PublicKey.publicKeyTypeEd25519(
        StrKey.decodeEd25519PublicKey(chosen?.seller ?? owner.publicKey()),
      )
      const keys = {
        account: xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })),
        data: xdr.LedgerKey.data(new xdr.LedgerKeyData({ accountId, dataName: 'a' })),
        line: xdr.LedgerKey.trustline(
          new xdr.LedgerKeyTrustLine({ accountId, asset: xdr.TrustLineAsset.fromXdr(of.toXdr()) }),
        ),
        offer: xdr.LedgerKey.offer(new xdr.LedgerKeyOffer({ sellerId, offerId: chosen?.id ?? 1n })),
      }
      return revoke(xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(keys[what]))
    },
  }))

const made: fc.Arbitrary<Made> = fc.oneof(
  { weight: 14, arbitrary: offered },
  { weight: 2, arbitrary: changedOffer },
  { weight: 10, arbitrary: path },
  { weight: 5, arbitrary: pooled },
  { weight: 2, arbitrary: revoked },
  {
    weight: 5,
    arbitrary: fc
      .tuple(person, person, asset, amount)
      .map(([from, to, of, much]) => by(from, pay(to, of, much))),
  },
  fc
    .tuple(person, person, fc.bigInt(5_000_000n, 60_000_000n))
    .filter(([from, to]) => from !== to)
    .map(([from, to, much]) => by(from, createAccount(to, much))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(person, issued, fc.oneof(fc.constant(0n), fc.bigInt(1n, 10_000n)))
      .filter(([from, { issuer }]) => from !== issuer)
      .map(([from, of, limit]) => by(from, trust(of.asset, limit))),
  },
  fc
    .tuple(person, fc.integer({ min: 0, max: 15 }), fc.constantFrom(0, 1, 2, 8))
    .map(([who, setFlags, clear]) =>
      by(who, options({ setFlags: setFlags & 11, clearFlags: clear & ~setFlags })),
    ),
  fc
    .tuple(person, person, fc.constantFrom(0, 1, 1, 2))
    .filter(([who, signer]) => who !== signer)
    .map(([who, signer, weight]) => by(who, options({ signer: { key: keySigner(signer), weight } }))),
  fc
    .tuple(person, issued, fc.constantFrom(0, 1, 2), fc.integer({ min: 0, max: 7 }))
    .filter(([who, { issuer }]) => who !== issuer)
    .map(([who, of, set, clear]) => by(of.issuer, lineFlags(who, of.asset, { set, clear: clear & ~set }))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(person, issued, fc.bigInt(1n, 500n))
      .filter(([from, { issuer }]) => from !== issuer)
      .map(([from, of, much]) => by(of.issuer, clawback(from, of.asset, much))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(person, fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'x', null))
      .map(([who, name, value]) => by(who, data(name, value))),
  },
  fc
    .tuple(person, person)
    .filter(([from, into]) => from !== into)
    .map(([from, into]) => by(from, merge(into))),
  fc
    .tuple(person, fc.bigInt(0n, 2n ** 36n))
    .map(([who, bumpTo]) => by(who, xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo })))),
  {
    weight: 3,
    arbitrary: fc
      .tuple(person, asset, fc.bigInt(1n, 500n))
      .map(([who, of, much]) => by(who, claimable(of, much, everyone))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(person, fc.nat(), fc.constantFrom(false, false, true))
      .map(([source, which, back]) => ({
        source,
        body({ balances }: Existing) {
          const id = balances[which % Math.max(1, balances.length)] ?? '00'.repeat(36)
          return back ? clawbackBalance(id) : claim(id)
        },
      })),
  },
)

/** Operations that one account pays the reserves of, for another. */
const sponsored = fc
  .tuple(person, person, fc.array(made, { minLength: 1, maxLength: 2 }))
  .filter(([sponsor, owner]) => sponsor !== owner)
  .map(([sponsor, owner, inner]) => [
    by(
      sponsor,
      xdr.OperationBody.beginSponsoringFutureReserves(
        new xdr.BeginSponsoringFutureReservesOp({ sponsoredId: publicKey(owner) }),
      ),
    ),
    ...inner.map(each => ({ ...each, source: owner })),
    by(owner, xdr.OperationBody.endSponsoringFutureReserves()),
  ])

const usually = <T, U>(often: T, rarely: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: rarely })

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      act: fc.constant('submit' as const),
      source: fc.oneof({ weight: 5, arbitrary: trader }, { weight: 1, arbitrary: person }),
      made: fc.oneof(
        { weight: 4, arbitrary: made.map(each => [each]) },
        { weight: 2, arbitrary: fc.array(made, { minLength: 2, maxLength: 3 }) },
        { weight: 1, arbitrary: sponsored },
      ),
      forgetful: usually<Keypair[], Keypair[]>([], fc.subarray(people)),
      feeEach: usually(100, fc.constantFrom(99, 5000)),
      skip: usually(0, fc.constantFrom(1, -1)),
      payer: usually(undefined, person),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('replay' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.constant({ act: 'close' as const }) },
  { weight: 1, arbitrary: fc.constant({ act: 'restart' as const }) },
)
