import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  codesOf,
  createAccount,
  credit,
  data,
  claimable,
  clawback,
  keySigner,
  Laboratory,
  lineFlags,
  merge,
  native,
  operation,
  options,
  pay,
  publicKey,
  trust,
  unconditional,
  xlm,
  type Draft,
  type Options,
} from './testing/laboratory.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

/** A valid transaction of this account, but for what the row changes. */
const draft = (key: Keypair, change: Partial<Draft> = {}): Draft => ({
  source: key.publicKey(),
  signers: [key],
  operations: [operation(data('greeting', 'hello'))],
  ...change,
})

const malformed: readonly (readonly [
  rule: string,
  code: string,
  body: (key: Keypair) => xdr.OperationBody,
])[] = [
  ['making itself', 'op_malformed', key => createAccount(key, xlm(1))],
  ['making an account with less than nothing', 'op_malformed', () => createAccount(Keypair.random(), -1n)],
  ['paying nothing', 'op_malformed', key => pay(key, native, 0n)],
  ['paying less than nothing', 'op_malformed', key => pay(key, native, -5n)],
  ['paying an asset without a code', 'op_malformed', key => pay(key, credit('\0\0\0\0', key), 1n)],
  [
    'paying an asset whose long code is short',
    'op_malformed',
    key =>
      pay(
        key,
        xdr.Asset.assetTypeCreditAlphanum12(new xdr.AlphaNum12({ assetCode: 'USD', issuer: publicKey(key) })),
        1n,
      ),
  ],
  ['trusting itself', 'op_malformed', key => trust(credit('USD', key))],
  ['trusting lumens', 'op_malformed', () => trust(native)],
  ['a limit below zero', 'op_malformed', () => trust(credit('USD', Keypair.random()), -1n)],
  ['a flag nobody knows', 'op_unknown_flag', () => options({ setFlags: 16 })],
  ['clearing a flag nobody knows', 'op_unknown_flag', () => options({ clearFlags: 32 })],
  ['setting and clearing the same flag', 'op_bad_flags', () => options({ setFlags: 1, clearFlags: 1 })],
  ...(['masterWeight', 'lowThreshold', 'medThreshold', 'highThreshold'] satisfies (keyof Options)[]).map(
    name => [`${name} 256`, 'op_threshold_out_of_range', () => options({ [name]: 256 })] as const,
  ),
  [
    'itself as a further signer',
    'op_bad_signer',
    key => options({ signer: { key: keySigner(key), weight: 1 } }),
  ],
  [
    'a signer of weight 256',
    'op_bad_signer',
    () => options({ signer: { key: keySigner(Keypair.random()), weight: 256 } }),
  ],
  [
    'a signed payload that is empty',
    'op_bad_signer',
    key =>
      options({
        signer: {
          key: xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
            new xdr.SignerKeyEd25519SignedPayload({ ed25519: key.rawPublicKey(), payload: Buffer.alloc(0) }),
          ),
          weight: 1,
        },
      }),
  ],
  ['a home domain with a line break', 'op_invalid_home_domain', () => options({ homeDomain: 'a\nb' })],
  [
    'a home domain beyond ASCII',
    'op_invalid_home_domain',
    () => options({ homeDomain: Buffer.from([0xff, 0xfe]) }),
  ],
  [
    "flags of someone else's asset",
    'op_malformed',
    key => lineFlags(key, credit('USD', Keypair.random()), { set: 1 }),
  ],
  ['flags of its own line', 'op_malformed', key => lineFlags(key, credit('USD', key), { set: 1 })],
  ['flags of lumens', 'op_malformed', key => lineFlags(key, native, { set: 1 })],
  [
    'setting and clearing the same line flag',
    'op_malformed',
    key => lineFlags(Keypair.random(), credit('USD', key), { set: 1, clear: 1 }),
  ],
  [
    'both kinds of authorisation',
    'op_malformed',
    key => lineFlags(Keypair.random(), credit('USD', key), { set: 3 }),
  ],
  [
    'setting clawback on a line',
    'op_malformed',
    key => lineFlags(Keypair.random(), credit('USD', key), { set: 4 }),
  ],
  [
    'a line flag nobody knows',
    'op_malformed',
    key => lineFlags(Keypair.random(), credit('USD', key), { clear: 8 }),
  ],
  ['clawing back from itself', 'op_malformed', key => clawback(key, credit('USD', key), 1n)],
  [
    "clawing back someone else's asset",
    'op_malformed',
    () => clawback(Keypair.random(), credit('USD', Keypair.random()), 1n),
  ],
  ['clawing back nothing', 'op_malformed', key => clawback(Keypair.random(), credit('USD', key), 0n)],
  ['clawing back lumens', 'op_malformed', () => clawback(Keypair.random(), native, 1n)],
  ['data without a name', 'op_data_invalid_name', () => data('', 'x')],
  ['data with a name beyond ASCII', 'op_data_invalid_name', () => data(Buffer.from('né'), 'x')],
  ['merging into itself', 'op_malformed', key => merge(key)],
  [
    'a sequence below zero',
    'op_bad_seq',
    () => xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo: -1n })),
  ],
  ['a claimable balance for nobody', 'op_malformed', () => claimable(native, 1n, [])],
  ['a claimable balance of nothing', 'op_malformed', key => claimable(native, 0n, [[key, unconditional]])],
  [
    'the same claimant twice',
    'op_malformed',
    key =>
      claimable(native, 1n, [
        [key, unconditional],
        [key, unconditional],
      ]),
  ],
  [
    'a predicate with one branch',
    'op_malformed',
    key => claimable(native, 1n, [[key, xdr.ClaimPredicate.claimPredicateAnd([unconditional])]]),
  ],
  [
    'a predicate that negates nothing',
    'op_malformed',
    key => claimable(native, 1n, [[key, xdr.ClaimPredicate.claimPredicateNot(null)]]),
  ],
  [
    'a predicate before time began',
    'op_malformed',
    key => claimable(native, 1n, [[key, xdr.ClaimPredicate.claimPredicateBeforeAbsoluteTime(-1n)]]),
  ],
  [
    'a predicate five levels deep',
    'op_malformed',
    key => {
      const not = (inner: xdr.ClaimPredicate) => xdr.ClaimPredicate.claimPredicateNot(inner)
      return claimable(native, 1n, [[key, not(not(not(not(unconditional))))]])
    },
  ],
  [
    'allowing oneself',
    'op_malformed',
    key =>
      xdr.OperationBody.allowTrust(
        new xdr.AllowTrustOp({
          trustor: publicKey(key),
          asset: xdr.AssetCode.assetTypeCreditAlphanum4('USD'),
          authorize: 1,
        }),
      ),
  ],
  [
    'allowing with an unknown level',
    'op_malformed',
    () =>
      xdr.OperationBody.allowTrust(
        new xdr.AllowTrustOp({
          trustor: publicKey(Keypair.random()),
          asset: xdr.AssetCode.assetTypeCreditAlphanum4('USD'),
          authorize: 3,
        }),
      ),
  ],
]

const unsupported: readonly (readonly [string, () => xdr.OperationBody])[] = [
  ['inflation', () => xdr.OperationBody.inflation()],
  [
    'extend_footprint_ttl',
    () =>
      xdr.OperationBody.extendFootprintTtl(
        new xdr.ExtendFootprintTtlOp({ ext: xdr.ExtensionPoint.v0(), extendTo: 1 }),
      ),
  ],
]

/** What a rejected transaction must leave as it was. */
async function traces(key: Keypair) {
  const account = await lab.horizon.loadAccount(key.publicKey())
  const { sequence, subentry_count, balances, signers, thresholds, flags, home_domain, data_attr } = account
  return { sequence, subentry_count, balances, signers, thresholds, flags, home_domain, data_attr }
}

async function expectRejected(made: Draft, codes: object, watched: Keypair): Promise<void> {
  const before = await traces(watched)
  const answer = await lab.submit(made)
  expect(answer.status).toBe(400)
  expect(answer.body['type']).toBe('https://stellar.org/horizon-errors/transaction_failed')
  expect(codesOf(answer)).toEqual(codes)
  expect((await lab.get(`/transactions/${answer.hash}`)).status).toBe(404)
  expect(await traces(watched)).toEqual(before)
}

describe('a transaction is rejected, costs nothing and leaves no history, for', () => {
  it.each(malformed)('%s', async (_rule, code, body) => {
    const key = await lab.funded()
    await expectRejected(
      draft(key, { operations: [operation(data('a', 'b')), operation(body(key))] }),
      { transaction: 'tx_failed', operations: ['op_success', code] },
      key,
    )
  })

  it.each(unsupported)('%s, which this network does not support', async (_type, body) => {
    const key = await lab.funded()
    await expectRejected(
      draft(key, { operations: [operation(body())] }),
      { transaction: 'tx_failed', operations: ['op_not_supported'] },
      key,
    )
  })
})
