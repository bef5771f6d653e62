import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimable,
  codesOf,
  createAccount,
  credit,
  data,
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
} from './testing/laboratory.ts'
import { issued } from './testing/scenes.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

const required = 1
const revocable = 2
const immutable = 4
const clawbackFlag = 8

/** Applies bodies of one source in a transaction of their own. */
const done = (key: Keypair, ...bodies: xdr.OperationBody[]) =>
  lab.succeed({ source: key.publicKey(), signers: [key], operations: bodies.map(body => operation(body)) })

type Row = readonly [
  rule: string,
  code: string,
  arrange: () => Promise<readonly [source: Keypair, body: xdr.OperationBody]>,
]

const failures: Row[] = [
  [
    'create_account of an account that exists',
    'op_already_exists',
    async () => [await lab.funded(), createAccount(await lab.funded(), xlm(1))],
  ],
  [
    'create_account with less than two base reserves',
    'op_low_reserve',
    async () => [await lab.funded(), createAccount(Keypair.random(), xlm(1) - 1n)],
  ],
  [
    'create_account with more than the source can spare',
    'op_underfunded',
    async () => [await lab.holding(xlm(3)), createAccount(Keypair.random(), xlm(2) + 1n)],
  ],
  [
    'payment to an account that does not exist',
    'op_no_destination',
    async () => [await lab.funded(), pay(Keypair.random(), native, 1n)],
  ],
  [
    'payment to an account without a line',
    'op_no_trust',
    async () => {
      const { holder, asset } = await issued(lab)
      return [holder, pay(await lab.funded(), asset, 1n)]
    },
  ],
  [
    'payment to an account that is not authorised',
    'op_not_authorized',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: required, amount: 0n })
      return [issuer, pay(holder, asset, 1n)]
    },
  ],
  [
    "payment above the destination's limit",
    'op_line_full',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { amount: xlm(5), limit: xlm(6) })
      return [issuer, pay(holder, asset, xlm(1) + 1n)]
    },
  ],
  [
    'payment of lumens beyond what a balance can hold',
    'op_underfunded',
    async () => [await lab.funded(), pay(await lab.funded(), native, 2n ** 62n)],
  ],
  [
    'payment from an account without a line',
    'op_src_no_trust',
    async () => {
      const { holder, asset } = await issued(lab)
      return [await lab.funded(), pay(holder, asset, 1n)]
    },
  ],
  [
    'payment from an account no longer authorised',
    'op_src_not_authorized',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { flags: revocable })
      await done(issuer, lineFlags(holder, asset, { clear: 1 }))
      return [holder, pay(issuer, asset, 1n)]
    },
  ],
  [
    'payment of more of an asset than there is',
    'op_underfunded',
    async () => {
      const { issuer, holder, asset } = await issued(lab, { amount: 10n })
      return [holder, pay(issuer, asset, 11n)]
    },
  ],
  [
    'payment that would break the reserve',
    'op_underfunded',
    async () => [await lab.holding(xlm(2)), pay(await lab.funded(), native, xlm(1) + 1n)],
  ],
  [
    'change_trust for an issuer that does not exist',
    'op_no_issuer',
    async () => [await lab.funded(), trust(credit('USD', Keypair.random()))],
  ],
  [
    'change_trust without the reserve for a line',
    'op_low_reserve',
    async () => [await lab.holding(xlm(1.4)), trust(credit('USD', await lab.funded()))],
  ],
  [
    'change_trust to a limit below the balance',
    'op_invalid_limit',
    async () => {
      const { holder, asset } = await issued(lab, { amount: 10n })
      return [holder, trust(asset, 9n)]
    },
  ],
  [
    'change_trust removing a line that holds something',
    'op_invalid_limit',
    async () => {
      const { holder, asset } = await issued(lab, { amount: 1n })
      return [holder, trust(asset, 0n)]
    },
  ],
  [
    'change_trust removing a line that is not there',
    'op_invalid_limit',
    async () => [await lab.funded(), trust(credit('USD', await lab.funded()), 0n)],
  ],
  [
    'set_options for clawback without revocable',
    'op_auth_revocable_required',
    async () => [await lab.funded(), options({ setFlags: clawbackFlag })],
  ],
  [
    'set_options taking revocable from clawback',
    'op_auth_revocable_required',
    async () => {
      const key = await lab.funded()
      await done(key, options({ setFlags: clawbackFlag | revocable }))
      return [key, options({ clearFlags: revocable })]
    },
  ],
  [
    'set_options setting a flag of an immutable account',
    'op_cant_change',
    async () => {
      const key = await lab.funded()
      await done(key, options({ setFlags: immutable }))
      return [key, options({ setFlags: required })]
    },
  ],
  [
    'set_options clearing a flag of an immutable account',
    'op_cant_change',
    async () => {
      const key = await lab.funded()
      await done(key, options({ setFlags: immutable }))
      return [key, options({ clearFlags: immutable })]
    },
  ],
  [
    'set_options with an inflation destination that does not exist',
    'op_invalid_inflation',
    async () => [await lab.funded(), options({ inflationDest: publicKey(Keypair.random()) })],
  ],
  [
    'set_options with a twenty-first signer',
    'op_too_many_signers',
    async () => {
      const key = await lab.funded()
      await done(
        key,
        ...Array.from({ length: 20 }, () =>
          options({ signer: { key: keySigner(Keypair.random()), weight: 1 } }),
        ),
      )
      return [key, options({ signer: { key: keySigner(Keypair.random()), weight: 1 } })]
    },
  ],
  [
    'set_options without the reserve for a signer',
    'op_low_reserve',
    async () => [
      await lab.holding(xlm(1.4)),
      options({ signer: { key: keySigner(Keypair.random()), weight: 1 } }),
    ],
  ],
  [
    'manage_data deleting what is not there',
    'op_data_name_not_found',
    async () => [await lab.funded(), data('nothing', null)],
  ],
  [
    'manage_data without the reserve for it',
    'op_low_reserve',
    async () => [await lab.holding(xlm(1.4)), data('name', 'value')],
  ],
  [
    'account_merge into an account that does not exist',
    'op_no_account',
    async () => [await lab.funded(), merge(Keypair.random())],
  ],
  [
    'account_merge of an account with a line',
    'op_has_sub_entries',
    async () => {
      const { issuer, holder } = await issued(lab)
      return [holder, merge(issuer)]
    },
  ],
  [
    'account_merge of an account with data',
    'op_has_sub_entries',
    async () => {
      const key = await lab.funded()
      await done(key, data('a', 'b'))
      return [key, merge(await lab.funded())]
    },
  ],
  [
    'account_merge of an immutable account',
    'op_immutable_set',
    async () => {
      const key = await lab.funded()
      await done(key, options({ setFlags: immutable }))
      return [key, merge(await lab.funded())]
    },
  ],
  [
    'account_merge of an account whose sequence is ahead of the ledger',
    'op_seq_num_too_far',
    async () => {
      const key = await lab.funded()
      const bumpTo = (1n << 32n) * 1_000_000n
      await done(key, xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo })))
      return [key, merge(await lab.funded())]
    },
  ],
  [
    'account_merge of an account that pays for a claimable balance',
    'op_is_sponsor',
    async () => {
      const [key, other] = [await lab.funded(), await lab.funded()]
      await done(key, claimable(native, 1n, [[other, unconditional]]))
      return [key, merge(other)]
    },
  ],
]

describe('a transaction that fails pays its fee, uses its sequence and changes nothing else, for', () => {
  it.each(failures)('%s: %s', async (_rule, code, arrange) => {
    const [source, body] = await arrange()
    const payer = await lab.funded()
    const before = await lab.horizon.loadAccount(source.publicKey())
    const sequence = await lab.sequence(payer.publicKey())

    const answer = await lab.submit({
      source: payer.publicKey(),
      signers: [payer, source],
      operations: [operation(data('first', 'undone')), operation(body, source)],
    })

    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual({ transaction: 'tx_failed', operations: ['op_success', code] })
    const stored = await lab.horizon.transactions().transaction(answer.hash).call()
    expect(stored).toMatchObject({ successful: false, fee_charged: '200', operation_count: 2 })
    const after = await lab.horizon.loadAccount(payer.publicKey())
    expect(BigInt(after.sequence)).toBe(sequence + 1n)
    expect(after.balances).toMatchObject([{ balance: '9999.9999800' }])
    expect(after.data_attr).toEqual({})
    const { last_modified_ledger: _, ...untouched } = await lab.horizon.loadAccount(source.publicKey())
    expect(JSON.parse(JSON.stringify(before))).toMatchObject(JSON.parse(JSON.stringify(untouched)))
  })

  it('an account with a thousand subentries', async () => {
    const rich = await lab.funded()
    for (let part = 0; part < 10; part++)
      await done(rich, ...Array.from({ length: 100 }, (_, each) => data(`${part}-${each}`, 'x')))
    const answer = await lab.submit({
      source: rich.publicKey(),
      signers: [rich],
      operations: [operation(data('one-more', 'x'))],
    })
    expect(codesOf(answer)).toEqual({ transaction: 'tx_failed', operations: ['op_too_many_subentries'] })
  })

  it('an operation whose source an earlier one has merged away', async () => {
    const [key, gone] = [await lab.funded(), await lab.funded()]
    const answer = await lab.submit({
      source: key.publicKey(),
      signers: [key, gone],
      operations: [operation(merge(key), gone), operation(data('a', 'b'), gone)],
    })
    expect(codesOf(answer)).toEqual({
      transaction: 'tx_failed',
      operations: ['op_success', 'op_no_source_account'],
    })
    expect(await lab.nativeBalance(gone.publicKey())).toBe('10000.0000000')
  })
})
