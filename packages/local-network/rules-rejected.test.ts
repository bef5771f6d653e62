import { createHash } from 'node:crypto'
import { Keypair, SignerKey, xdr } from '@stellar/stellar-sdk'
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
  plain,
  publicKey,
  signatureOf,
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

const nothing = {
  minSeqNum: null,
  minSeqAge: 0n,
  minSeqLedgerGap: 0,
  extraSigners: [],
  timeBounds: null,
  ledgerBounds: null,
}
const conditions = (given: Partial<ConstructorParameters<typeof xdr.PreconditionsV2>[0]>) =>
  xdr.Preconditions.precondV2(new xdr.PreconditionsV2({ ...nothing, ...given }))
const seconds = () => BigInt(Math.floor(Date.now() / 1000))

/** A valid transaction of this account, but for what the row changes. */
const draft = (key: Keypair, change: Partial<Draft> = {}): Draft => ({
  source: key.publicKey(),
  signers: [key],
  operations: [operation(data('greeting', 'hello'))],
  ...change,
})

type Row = readonly [
  rule: string,
  codes: { transaction: string; operations?: string[] },
  make: (key: Keypair) => Draft | Promise<Draft>,
]

const rows: Row[] = [
  ['no operation', { transaction: 'tx_missing_operation' }, key => draft(key, { operations: [] })],
  [
    'a time that has not begun',
    { transaction: 'tx_too_early' },
    key =>
      draft(key, {
        conditions: conditions({
          timeBounds: new xdr.TimeBounds({ minTime: seconds() + 1000n, maxTime: 0n }),
        }),
      }),
  ],
  [
    'a time that is over',
    { transaction: 'tx_too_late' },
    key =>
      draft(key, {
        conditions: xdr.Preconditions.precondTime(
          new xdr.TimeBounds({ minTime: 0n, maxTime: seconds() - 1000n }),
        ),
      }),
  ],
  [
    'a ledger that is yet to come',
    { transaction: 'tx_too_early' },
    key =>
      draft(key, {
        conditions: conditions({
          ledgerBounds: new xdr.LedgerBounds({ minLedger: 1_000_000, maxLedger: 0 }),
        }),
      }),
  ],
  [
    'a ledger that is past',
    { transaction: 'tx_too_late' },
    key =>
      draft(key, {
        conditions: conditions({ ledgerBounds: new xdr.LedgerBounds({ minLedger: 0, maxLedger: 1 }) }),
      }),
  ],
  ['99 stroops for one operation', { transaction: 'tx_insufficient_fee' }, key => draft(key, { fee: 99 })],
  [
    '199 stroops for two operations',
    { transaction: 'tx_insufficient_fee' },
    key => draft(key, { fee: 199, operations: [operation(data('a', 'b')), operation(data('c', 'd'))] }),
  ],
  [
    'a source account that does not exist',
    { transaction: 'tx_no_source_account' },
    () => {
      const nobody = Keypair.random()
      return draft(nobody, { sequence: 1n })
    },
  ],
  [
    'a sequence already used',
    { transaction: 'tx_bad_seq' },
    async key => draft(key, { sequence: await lab.sequence(key.publicKey()) }),
  ],
  [
    'a sequence with a gap',
    { transaction: 'tx_bad_seq' },
    async key => draft(key, { sequence: (await lab.sequence(key.publicKey())) + 2n }),
  ],
  [
    'a sequence below the one it accepts at least',
    { transaction: 'tx_bad_seq' },
    async key => {
      const sequence = (await lab.sequence(key.publicKey())) + 5n
      return draft(key, { sequence, conditions: conditions({ minSeqNum: sequence - 1n }) })
    },
  ],
  [
    'the last sequence there is',
    { transaction: 'tx_bad_seq' },
    key => draft(key, { sequence: 2n ** 63n - 1n, conditions: conditions({ minSeqNum: 0n }) }),
  ],
  [
    'a sequence not old enough',
    { transaction: 'tx_bad_minseq_age_or_gap' },
    async key => {
      await lab.succeed(draft(key))
      return draft(key, { conditions: conditions({ minSeqAge: 1000n }) })
    },
  ],
  [
    'too few ledgers since the last sequence',
    { transaction: 'tx_bad_minseq_age_or_gap' },
    async key => {
      await lab.succeed(draft(key))
      return draft(key, { conditions: conditions({ minSeqLedgerGap: 1000 }) })
    },
  ],
  ['no signature', { transaction: 'tx_bad_auth' }, key => draft(key, { signers: [] })],
  [
    "a stranger's signature",
    { transaction: 'tx_bad_auth' },
    key => draft(key, { signers: [Keypair.random()] }),
  ],
  [
    'the same signature twice where its weight is not enough',
    { transaction: 'tx_bad_auth' },
    async key => {
      await lab.succeed(draft(key, { operations: [operation(options({ lowThreshold: 2 }))] }))
      return draft(key, { signers: [key, key] })
    },
  ],
  [
    'a missing extra signer',
    { transaction: 'tx_bad_auth' },
    key => draft(key, { conditions: conditions({ extraSigners: [keySigner(Keypair.random())] }) }),
  ],
  [
    'the same extra signer twice',
    { transaction: 'tx_malformed' },
    key => {
      const extra = keySigner(Keypair.random())
      return draft(key, { conditions: conditions({ extraSigners: [extra, extra] }) })
    },
  ],
  [
    'a fee that would break the reserve',
    { transaction: 'tx_insufficient_balance' },
    async () => {
      const poor = await lab.holding(xlm(1))
      return draft(poor)
    },
  ],
  [
    'a signature more than needed',
    { transaction: 'tx_bad_auth_extra' },
    key => draft(key, { signers: [key, Keypair.random()] }),
  ],
  [
    'the same signature twice',
    { transaction: 'tx_bad_auth_extra' },
    key => draft(key, { signers: [key, key] }),
  ],
  [
    'an operation of an account that has not signed',
    { transaction: 'tx_failed', operations: ['op_success', 'op_bad_auth', 'op_success'] },
    async key => {
      const other = await lab.funded()
      return draft(key, {
        operations: [operation(data('a', 'b')), operation(data('a', 'b'), other), operation(data('a', 'b'))],
      })
    },
  ],
  [
    'an operation of an account that does not exist and has not signed',
    { transaction: 'tx_failed', operations: ['op_bad_auth'] },
    key => draft(key, { operations: [operation(data('a', 'b'), Keypair.random())] }),
  ],
  [
    'a medium operation with a signature of low weight',
    { transaction: 'tx_failed', operations: ['op_bad_auth'] },
    async key => {
      await lab.succeed(
        draft(key, { operations: [operation(options({ medThreshold: 2, highThreshold: 2 }))] }),
      )
      return draft(key)
    },
  ],
  [
    'a change of signers with a signature of medium weight',
    { transaction: 'tx_failed', operations: ['op_bad_auth'] },
    async key => {
      await lab.succeed(draft(key, { operations: [operation(options({ highThreshold: 2 }))] }))
      return draft(key, {
        operations: [operation(options({ signer: { key: keySigner(Keypair.random()), weight: 1 } }))],
      })
    },
  ],
  [
    'a merge with a signature of medium weight',
    { transaction: 'tx_failed', operations: ['op_bad_auth'] },
    async key => {
      await lab.succeed(draft(key, { operations: [operation(options({ highThreshold: 2 }))] }))
      return draft(key, { operations: [operation(merge(await lab.funded()))] })
    },
  ],
]

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

const price = new xdr.Price({ n: 1, d: 1 })
const unsupported: readonly (readonly [string, (key: Keypair) => xdr.OperationBody])[] = [
  ['inflation', () => xdr.OperationBody.inflation()],
  [
    'manage_sell_offer',
    key =>
      xdr.OperationBody.manageSellOffer(
        new xdr.ManageSellOfferOp({
          selling: native,
          buying: credit('USD', key),
          amount: 1n,
          price,
          offerId: 0n,
        }),
      ),
  ],
  [
    'manage_buy_offer',
    key =>
      xdr.OperationBody.manageBuyOffer(
        new xdr.ManageBuyOfferOp({
          selling: native,
          buying: credit('USD', key),
          buyAmount: 1n,
          price,
          offerId: 0n,
        }),
      ),
  ],
  [
    'create_passive_sell_offer',
    key =>
      xdr.OperationBody.createPassiveSellOffer(
        new xdr.CreatePassiveSellOfferOp({ selling: native, buying: credit('USD', key), amount: 1n, price }),
      ),
  ],
  [
    'path_payment_strict_send',
    key =>
      xdr.OperationBody.pathPaymentStrictSend(
        new xdr.PathPaymentStrictSendOp({
          sendAsset: native,
          sendAmount: 1n,
          destination: plain(key),
          destAsset: native,
          destMin: 1n,
          path: [],
        }),
      ),
  ],
  [
    'path_payment_strict_receive',
    key =>
      xdr.OperationBody.pathPaymentStrictReceive(
        new xdr.PathPaymentStrictReceiveOp({
          sendAsset: native,
          sendMax: 1n,
          destination: plain(key),
          destAsset: native,
          destAmount: 1n,
          path: [],
        }),
      ),
  ],
  [
    'begin_sponsoring_future_reserves',
    key =>
      xdr.OperationBody.beginSponsoringFutureReserves(
        new xdr.BeginSponsoringFutureReservesOp({ sponsoredId: publicKey(key) }),
      ),
  ],
  ['end_sponsoring_future_reserves', () => xdr.OperationBody.endSponsoringFutureReserves()],
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
  it.each(rows)('%s', async (_rule, codes, make) => {
    const key = await lab.funded()
    await expectRejected(await make(key), codes, key)
  })

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
      draft(key, { operations: [operation(body(key))] }),
      { transaction: 'tx_failed', operations: ['op_not_supported'] },
      key,
    )
  })

  it('a signature made for another network', async () => {
    const key = await lab.funded()
    const { envelope } = await lab.sign(draft(key, { signers: [] }))
    if (envelope.type !== 'envelopeTypeTx') throw new TypeError()
    const { tx } = envelope.v1
    const elsewhere = createHash('sha256')
      .update(createHash('sha256').update('Public Global Stellar Network ; September 2015').digest())
      .update(Buffer.from([0, 0, 0, 2]))
      .update(tx.toXdr())
      .digest()
    const signed = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({ tx, signatures: [signatureOf(key, elsewhere)] }),
    )
    const answer = await lab.post('/transactions', { tx: signed.toXdr('base64') })
    expect(codesOf(answer)).toEqual({ transaction: 'tx_bad_auth' })
  })
})

describe('the rules of validity are checked in their order', () => {
  /** Each row breaks its own rule and all that follow. */
  const broken = (key: Keypair, upTo: number): Draft => {
    return {
      source: key.publicKey(),
      operations: upTo === 0 ? [] : [operation(pay(key, native, -1n))],
      signers: [],
      fee: upTo <= 3 ? 1 : 100,
      sequence: 1n,
      conditions: conditions({
        timeBounds: new xdr.TimeBounds({
          minTime: upTo <= 1 ? seconds() + 1000n : 0n,
          maxTime: upTo <= 2 ? 1n : 0n,
        }),
      }),
    }
  }

  it.each([
    [0, 'tx_missing_operation'],
    [1, 'tx_too_early'],
    [2, 'tx_too_late'],
    [3, 'tx_insufficient_fee'],
    [4, 'tx_no_source_account'],
  ])('rule %i comes before the following: %s', async (upTo, code) => {
    const answer = await lab.submit(broken(Keypair.random(), upTo))
    expect(codesOf(answer)).toEqual({ transaction: code })
  })

  it('bad sequence before bad signature before balance before operations before signatures too many', async () => {
    const poor = await lab.holding(xlm(1) + 50n)
    const next = (await lab.sequence(poor.publicKey())) + 1n
    const stranger = Keypair.random()
    const bad = [operation(pay(poor, native, -1n))]
    const codes = async (given: Partial<Draft>) =>
      codesOf(await lab.submit(draft(poor, { operations: bad, sequence: next, ...given })))
    expect(await codes({ sequence: 1n, signers: [stranger] })).toEqual({ transaction: 'tx_bad_seq' })
    expect(await codes({ signers: [stranger] })).toEqual({ transaction: 'tx_bad_auth' })
    expect(await codes({ signers: [poor, stranger] })).toEqual({ transaction: 'tx_insufficient_balance' })
    const rich = await lab.funded()
    const richly = draft(rich, { operations: [operation(pay(rich, native, -1n))], signers: [rich, stranger] })
    expect(codesOf(await lab.submit(richly))).toEqual({
      transaction: 'tx_failed',
      operations: ['op_malformed'],
    })
    expect(codesOf(await lab.submit({ ...richly, operations: [operation(data('a', 'b'))] }))).toEqual({
      transaction: 'tx_bad_auth_extra',
    })
  })
})

describe('signatures', () => {
  it('of further signers add up to a threshold', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [
          operation(options({ signer: { key: keySigner(second), weight: 1 } })),
          operation(options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })),
        ],
      }),
    )
    expect(codesOf(await lab.submit(draft(key)))).toEqual({ transaction: 'tx_bad_auth' })
    await lab.succeed(draft(key, { signers: [key, second] }))
  })

  it('of a master key without weight do not count', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [operation(options({ masterWeight: 0, signer: { key: keySigner(second), weight: 1 } }))],
      }),
    )
    expect(codesOf(await lab.submit(draft(key)))).toEqual({ transaction: 'tx_bad_auth' })
    await lab.succeed(draft(key, { signers: [second] }))
  })

  it('may be the preimage of a hash that is a signer', async () => {
    const key = await lab.funded()
    const preimage = Buffer.from('a secret that opens this account')
    const hash = createHash('sha256').update(preimage).digest()
    await lab.succeed(
      draft(key, {
        operations: [
          operation(options({ signer: { key: xdr.SignerKey.signerKeyTypeHashX(hash), weight: 1 } })),
        ],
      }),
    )
    const { envelope } = await lab.sign(draft(key, { signers: [] }))
    if (envelope.type !== 'envelopeTypeTx') throw new TypeError()
    const opened = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [new xdr.DecoratedSignature({ hint: hash.subarray(-4), signature: preimage })],
      }),
    )
    expect((await lab.post('/transactions', { tx: opened.toXdr('base64') })).status).toBe(200)
  })

  it('are not needed for a transaction whose hash is a signer, which then is a signer no more', async () => {
    const key = await lab.funded()
    const sequence = (await lab.sequence(key.publicKey())) + 2n
    const later = draft(key, { signers: [], sequence })
    const { hash } = await lab.sign(later)
    await lab.succeed(
      draft(key, {
        operations: [
          operation(
            options({
              signer: { key: xdr.SignerKey.signerKeyTypePreAuthTx(Buffer.from(hash, 'hex')), weight: 1 },
            }),
          ),
        ],
      }),
    )
    expect((await lab.horizon.loadAccount(key.publicKey())).signers).toHaveLength(2)
    await lab.succeed(later)
    const account = await lab.horizon.loadAccount(key.publicKey())
    expect(account.signers).toHaveLength(1)
    expect(account.subentry_count).toBe(1) // the data it set
  })

  it('over a payload serve where the payload is a signer', async () => {
    const [key, signer] = [await lab.funded(), Keypair.random()]
    const payload = Buffer.from('agreed')
    const signerKey = xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
      new xdr.SignerKeyEd25519SignedPayload({ ed25519: signer.rawPublicKey(), payload }),
    )
    await lab.succeed(
      draft(key, { operations: [operation(options({ signer: { key: signerKey, weight: 1 } }))] }),
    )
    expect(SignerKey.encodeSignerKey(signerKey)).toMatch(/^P/)
    const { envelope } = await lab.sign(draft(key, { signers: [] }))
    if (envelope.type !== 'envelopeTypeTx') throw new TypeError()
    const signed = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [xdr.DecoratedSignature.fromXdr(signer.signPayloadDecorated(payload).toXDR())],
      }),
    )
    expect((await lab.post('/transactions', { tx: signed.toXdr('base64') })).status).toBe(200)
  })

  it("of an account that the transaction itself makes are its own key's", async () => {
    const [key, child] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [operation(createAccount(child, xlm(5))), operation(data('born', 'today'), child)],
        signers: [key, child],
      }),
    )
    expect((await lab.horizon.loadAccount(child.publicKey())).data_attr).toHaveProperty('born')
  })
})
