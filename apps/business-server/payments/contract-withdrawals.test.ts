import { Account, BASE_FEE, StrKey, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { Server } from '@stellar/stellar-sdk/rpc'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { transferOperation } from '@windlass/stellar/asset-contract.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addSettings, currentSettings } from '../money/settings/settings.ts'
import { startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
const wallet = StrKey.encodeContract(Buffer.alloc(32, 7))
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer({ contracts: true }))
})
afterEach(() => anchor.stop())

const transferTo = (from: string, memo: string, amount: string) =>
  transferOperation({
    contract: anchor.asset.contractId(anchor.network.passphrase),
    from,
    to: muxedAccount(anchor.distribution.publicKey, memo),
    amount: parseAmount(amount),
  })

const unsigned = (from: string, sequence: string, memo: string, amount: string) =>
  new TransactionBuilder(new Account(customer.publicKey, sequence), {
    ...{ fee: BASE_FEE, networkPassphrase: anchor.network.passphrase },
  })
    .addOperation(transferTo(from, memo, amount))
    .setTimeout(0)
    .build()

/** The customer's account calls the asset's contract, as a contract account does. */
async function call(memo: string, amount: string): Promise<void> {
  const { sequence = '' } = (await anchor.horizon.account(customer.publicKey)) ?? {}
  const server = new Server(`${anchor.network.url}/rpc`, { allowHttp: true })
  const prepared = await server.prepareTransaction(unsigned(customer.publicKey, sequence, memo, amount))
  signTransaction(prepared, customer.secret)
  expect(await anchor.horizon.submit(prepared.toXdr())).toEqual({ outcome: 'applied' })
}

/** What Horizon says of a contract account's call: this network has no contracts but those of assets. */
async function calledBy(from: string, memo: string, amount: string, told = amount): Promise<PaymentRecord> {
  const [row] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const place = BigInt(row?.cursor ?? 0) - (BigInt(row?.cursor ?? 0) & 0xfffn) + 0x1000n
  const { publicKey: issuer } = anchor.issuer
  const transaction = unsigned(from, '7', memo, amount)
  signTransaction(transaction, customer.secret)
  const hash = Buffer.from(transaction.hash()).toString('hex')
  return {
    ...{ id: String(place + 1n), paging_token: String(place + 1n), type: 'invoke_host_function' },
    ...{ created_at: new Date().toISOString(), transaction_hash: hash, transaction_successful: true },
    fault: null,
    asset_balance_changes: [
      {
        ...{ type: 'transfer', from, to: anchor.distribution.publicKey, amount: told },
        ...{ asset_code: 'MUMBAI', asset_issuer: issuer },
      },
    ],
    transaction: {
      created_at: new Date().toISOString(),
      ...{ hash, paging_token: String(place), source_account: customer.publicKey, ledger: 1 },
      ...{ source_account_sequence: '8', successful: true, fee_charged: '100', memo_type: 'none' },
      ...{ envelope_xdr: transaction.toXdr(), result_xdr: '' },
    },
  }
}

const read = (record: PaymentRecord, simulate = anchor.deps.simulate) =>
  observePayments({
    ...{ ...anchor.deps, simulate },
    routineHorizon: { ...anchor.horizon, paymentsOf: async () => [record] },
  })
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const refunds = () =>
  anchor.rows("select destination, amount::text, memo from ledger_payments where purpose = 'refund'")
const open = async () => (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)

it('completes a withdrawal that a call of the asset’s contract pays, by the number of the muxed account', async () => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await call(memo, '20')
  await observePayments(anchor.deps)
  expect([await stateOf(id), await open()]).toEqual(['funded', []])
  expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
})

it('completes a withdrawal of less than was ever planned, and counts what is less than any', async () => {
  const { settings, version } = await currentSettings(anchor.deps, anchor.deps.database.db)
  const limits = { ...settings.limits, min: '0.1' }
  const fees = { ...settings.fees, withdrawal: { fixed: '0', percentage: '0' } }
  await addSettings(anchor.deps, { settings: { ...settings, limits, fees }, version, by: 'operator:asha' })
  const { id, memo } = await startWithdrawal(anchor, customer, '0.6')
  await call(memo, '0.6')
  await call('12345678', '0.09')
  await observePayments(anchor.deps)
  expect([await stateOf(id), await open()]).toEqual(['funded', []])
  expect(await anchor.rows('select payments, amount::float from ledger_dust')).toEqual([
    { payments: '1', amount: 0.09 },
  ])
  expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
})

it('counts little that another contract’s call transferred, and opens no incident for it', async () => {
  await read(await calledBy(wallet, '12345678', '0.5', '0.4'))
  expect(await open()).toEqual([])
  expect(await anchor.rows('select amount::float from ledger_dust')).toEqual([{ amount: 0.4 }])
})

it('sends back what no withdrawal asked for', async () => {
  const held = parseAmount((await anchor.held(customer)) ?? '')
  await call('12345678', '20')
  await observePayments(anchor.deps)
  await anchor.pay()
  expect(parseAmount((await anchor.held(customer)) ?? '')).toBe(held)
  expect(await open()).toEqual([])
})

it('completes a contract account’s withdrawal, and sends back to it what fits none', async () => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await read(await calledBy(wallet, memo, '20'))
  const [transfer] = await anchor.rows(`select state, stellar_account from transfers where id = '${id}'`)
  expect(transfer).toEqual({ state: 'funded', stellar_account: wallet })
  await read(await calledBy(wallet, '12345678', '20'))
  expect(await refunds()).toEqual([{ destination: wallet, amount: '20.0000000', memo: null }])
  expect(await open()).toEqual([])
})

it('leaves to an operator what another contract’s call transferred, and what cannot be sent back', async () => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await read(await calledBy(wallet, memo, '20', formatAmount(parseAmount('2000'))))
  await read(await calledBy(wallet, memo, '20'), null)
  expect(await stateOf(id)).toBe('awaiting_funds')
  expect((await open()).map(({ kind }) => kind)).toContain('unreadable-payment')
})
