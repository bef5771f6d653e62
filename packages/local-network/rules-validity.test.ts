import { createHash } from 'node:crypto'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  codesOf,
  data,
  keySigner,
  Laboratory,
  merge,
  native,
  operation,
  options,
  pay,
  signatureOf,
  xlm,
  type Draft,
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

describe('the last sequence number there is', () => {
  const last = (key: Keypair) =>
    draft(key, { sequence: 2n ** 63n - 1n, conditions: conditions({ minSeqNum: 0n }) })

  it('applies, and no transaction of the account ever applies again', async () => {
    const key = await lab.funded()
    expect((await lab.submit(last(key))).status).toBe(200)
    expect(codesOf(await lab.submit(draft(key, { sequence: 2n ** 63n - 1n })))).toEqual({
      transaction: 'tx_bad_seq',
    })
  })

  it('does not apply on the network of protocol 19', async () => {
    const older = await Laboratory.open({ protocol: 19 })
    expect(codesOf(await older.submit(last(await older.funded())))).toEqual({ transaction: 'tx_bad_seq' })
    await older.close()
  })
})
