import { Memo, Operation, Account, Asset, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { muxedAccount } from './addresses.ts'
import { faultOfLedger, faultOfTransaction, paymentChecker } from './check-answers.ts'
import { payFee } from './fees.ts'
import { fundFromFaucet } from './friendbot.ts'
import {
  createHorizon,
  type LedgerDocument,
  type PaymentRecord,
  type TransactionDocument,
} from './horizon.ts'
import { generateKey, seedSigner, signTransaction } from './keys.ts'

let network: LocalNetwork
const [sender, receiver] = [generateKey(), generateKey()]
let payments: PaymentRecord[]
beforeAll(async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  const horizon = createHorizon(network)
  for (const { publicKey } of [sender, receiver])
    await fundFromFaucet(network.friendbotUrl, horizon, publicKey)
  const pay = async (memo: Memo, muxed: boolean, bump: boolean): Promise<void> => {
    const account = await horizon.account(sender.publicKey)
    const destination = muxed ? muxedAccount(receiver.publicKey, '7') : receiver.publicKey
    const transaction = new TransactionBuilder(new Account(sender.publicKey, account?.sequence ?? '0'), {
      ...{ fee: '100', networkPassphrase: network.passphrase, memo },
    })
      .addOperation(Operation.payment({ asset: Asset.native(), amount: '1.5', destination }))
      .addOperation(
        Operation.pathPaymentStrictSend({
          ...{ sendAsset: Asset.native(), sendAmount: '2', destination: receiver.publicKey },
          ...{ destAsset: Asset.native(), destMin: '0.5', path: [] },
        }),
      )
      .setTimeout(0)
      .build()
    signTransaction(transaction, sender.secret)
    const envelope = bump
      ? await payFee(transaction.toXdr(), {
          ...{ horizon, max: 100_000n, networkPassphrase: network.passphrase },
          payer: seedSigner(receiver.secret),
        })
      : transaction.toXdr()
    expect(await horizon.submit(envelope)).toEqual({ outcome: 'applied' })
  }
  await pay(Memo.none(), true, false)
  await pay(Memo.text('naïve'), false, false)
  await pay(Memo.text(Buffer.from([0xff, 0x41, 0xed, 0xa0])), false, true)
  await pay(Memo.id('18446744073709551615'), false, false)
  await pay(Memo.return('ab'.repeat(32)), true, true)
  payments = await horizon.paymentsOf(receiver.publicKey, '0')
})
afterAll(() => network.stop())

const read = async (path: string): Promise<unknown> => (await fetch(network.url + path)).json()

it('finds nothing wrong with what Horizon says, of muxed accounts, fee bumps and any memo', () => {
  expect(payments.filter(({ type }) => type !== 'create_account')).toHaveLength(10)
  expect(payments.map(({ fault }) => fault)).toEqual(payments.map(() => null))
})

it('finds any other value in what it compares', async () => {
  const compared = [
    'transaction_hash',
    'id',
    'paging_token',
    'type',
    'from',
    'to',
    'amount',
    'asset_type',
  ] as const
  const inTransaction = [
    ...(['hash', 'source_account', 'source_account_sequence', 'successful', 'fee_charged'] as const),
    ...(['memo_type', 'memo', 'envelope_xdr', 'result_xdr', 'ledger', 'paging_token'] as const),
  ]
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(
      sender.publicKey,
      receiver.publicKey,
      '1',
      '9223372036854775807',
      'native',
      'none',
      true,
      false,
      0,
    ),
    fc.constantFrom(undefined, null),
  )
  await fc.assert(
    fc.property(
      fc.nat(payments.length - 1),
      fc.oneof(
        fc.record({ field: fc.constantFrom(...compared), inside: fc.constant(false) }),
        fc.record({ field: fc.constantFrom(...inTransaction), inside: fc.constant(true) }),
      ),
      value,
      (index, { field, inside }, other) => {
        const record = payments[index]
        fc.pre(record?.transaction !== undefined && record.type !== 'create_account')
        const before = inside
          ? record.transaction[field as keyof TransactionDocument]
          : record[field as keyof PaymentRecord]
        fc.pre(String(before ?? '') !== String(other ?? ''))
        const transaction = { ...record.transaction, ...(inside ? { [field]: other } : {}) }
        const lie = { ...record, ...(inside ? {} : { [field]: other }), transaction }
        expect(paymentChecker(network.passphrase)(lie)).not.toBeNull()
        if (inside && field !== 'memo' && field !== 'memo_type')
          expect(faultOfTransaction(transaction, network.passphrase)).not.toBeNull()
      },
    ),
    { numRuns: 500 },
  )
})

it('finds that a transaction is of another network, and a ledger that has another header', async () => {
  const [{ transaction } = expect.unreachable()] = payments
  expect(faultOfTransaction(transaction as TransactionDocument, 'another')).toBe(
    'the hash is not that of the envelope',
  )
  const [one, two] = (await Promise.all(['/ledgers/3', '/ledgers/4'].map(read))) as [
    LedgerDocument,
    LedgerDocument,
  ]
  expect([faultOfLedger(one), faultOfLedger(two)]).toEqual([null, null])
  for (const lie of [
    { hash: two.hash },
    { sequence: 4 },
    { header_xdr: two.header_xdr },
    { closed_at: '2020-01-01T00:00:00Z' },
  ])
    expect(faultOfLedger({ ...one, ...lie })).not.toBeNull()
})
