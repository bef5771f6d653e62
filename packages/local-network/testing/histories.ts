import fc from 'fast-check'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { assetName } from '../ledger/assets.ts'
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

/** An operation; which claimable balance it means is settled when it is known what there are. */
export interface Made {
  readonly source: Keypair
  body(balances: readonly string[]): xdr.OperationBody
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
const issued = fc.constantFrom(...credits)
const asset = fc.constantFrom(native, ...credits.map(each => each.asset))
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(1n, 600n) },
  { weight: 2, arbitrary: fc.bigInt(1n, 600_000_000n) },
  { weight: 1, arbitrary: fc.constant(2n ** 63n - 1n) },
)
const by = (source: Keypair, body: xdr.OperationBody): Made => ({ source, body: () => body })
const everyone = people.map(each => [each, unconditional] as const)

const made: fc.Arbitrary<Made> = fc.oneof(
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
        body(balances: readonly string[]) {
          const id = balances[which % Math.max(1, balances.length)] ?? '00'.repeat(36)
          return back ? clawbackBalance(id) : claim(id)
        },
      })),
  },
)

const usually = <T, U>(often: T, seldom: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: seldom })

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      act: fc.constant('submit' as const),
      source: person,
      made: fc.array(made, { minLength: 1, maxLength: 3 }),
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
