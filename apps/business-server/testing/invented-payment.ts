import {
  Account,
  Memo,
  Operation,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base'
import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { hashOf } from '@windlass/stellar/check-answers.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import type { LedgerAnchor } from './ledger-anchor.ts'
import type { Lie } from './liar.ts'

/** A withdrawal that waits for its payment. */
export async function startWithdrawal(
  anchor: LedgerAnchor,
  customer: AccountKey,
  amount = '20',
): Promise<{ id: string; memo: string }> {
  const account = customer.publicKey
  const { id } = await acceptTransaction(anchor.deps, {
    id: randomUUID(),
    sep: '24',
    kind: 'withdrawal',
    status: 'incomplete',
    amount_expected: { amount },
    started_at: '',
    updated_at: '',
    source_account: account,
    creator: { account },
    customers: { sender: { account } },
    fields: { dest: 'asha@okbank' },
  } as unknown as PlatformTransaction)
  const { ledger_memo } = await confirm(anchor.deps, id)
  return { id, memo: ledger_memo ?? '' }
}

/** As Horizon sends it. */
export type Told = Omit<PaymentRecord, 'fault'>

/** A lie that adds a record to each page of payments. */
export const appended = (record: Told): Lie => ({
  told: 0,
  tell: (path, body) => {
    if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
    const page = JSON.parse(body) as { _embedded: { records: Told[] } }
    page._embedded.records.push(record)
    return JSON.stringify(page)
  },
})

/** The same payment as if its transaction were so many places later in its ledger. */
export function movedOn<T extends Pick<Told, 'id' | 'paging_token' | 'transaction'>>(
  record: T,
  places: bigint,
): T {
  const later = (token: string): string => String(BigInt(token) + places * 0x1000n)
  const id = later(record.id)
  const { transaction } = record
  const moved = transaction && { ...transaction, paging_token: later(transaction.paging_token) }
  return { ...record, id, paging_token: id, ...(moved ? { transaction: moved } : {}) }
}

/**
 * A payment that never reached the ledger, with a result to match: where its sender signed the envelope, it contradicts
 * nothing.
 *
 * @param number tells several of one ledger apart, in their order
 */
export async function inventPayment(
  anchor: LedgerAnchor,
  customer: AccountKey,
  memo: string,
  signer = customer,
  number = 0n,
): Promise<Told> {
  const { publicKey: source } = customer
  const account = await anchor.horizon.account(source)
  const destination = anchor.distribution.publicKey
  const builder = new TransactionBuilder(
    new Account(source, String(BigInt(account?.sequence ?? '0') + number)),
    {
      ...{ fee: '100', networkPassphrase: anchor.network.passphrase, memo: Memo.id(memo) },
    },
  )
  const signed = builder
    .addOperation(Operation.payment({ asset: anchor.asset, amount: '20', destination }))
    .setTimeout(0)
    .build()
  signTransaction(signed, signer.secret)
  const ledger = anchor.network.latestLedger
  const place = (BigInt(ledger) << 32n) + 0x9000n + number * 0x1000n
  const hash = Buffer.from(signed.hash()).toString('hex')
  const created_at = new Date().toISOString()
  return {
    ...{ id: String(place + 1n), paging_token: String(place + 1n), type: 'payment', from: source },
    ...{ created_at, transaction_hash: hash, transaction_successful: true },
    ...{ to: destination, amount: '20.0000000', asset_type: 'credit_alphanum12', asset_code: 'MUMBAI' },
    asset_issuer: anchor.issuer.publicKey,
    transaction: {
      created_at,
      ...{ hash, paging_token: String(place), ledger, successful: true, fee_charged: '100' },
      ...{ source_account: source, source_account_sequence: signed.sequence, memo_type: 'id', memo },
      ...{ envelope_xdr: signed.toXdr(), result_xdr: paidResult() },
    },
  }
}

/** The result of a payment that was made. */
function paidResult(): string {
  const paid = xdr.OperationResult.opInner(xdr.OperationResultTr.payment(xdr.PaymentResult.paymentSuccess()))
  const result = new xdr.TransactionResult({
    feeCharged: 100n,
    result: xdr.TransactionResultResult.txSuccess([paid]),
    ext: xdr.TransactionResultExt.v0(),
  })
  return result.toXdr('base64')
}

/** A payment's envelope as Horizon shows it once it was applied, which it was not. */
export function inventedOutcome({ network }: LedgerAnchor, envelope: string): object {
  const transaction = TransactionBuilder.fromXdr(envelope, network.passphrase) as Transaction
  const ledger = network.latestLedger
  return {
    hash: hashOf(envelope, network.passphrase),
    ...{ paging_token: String((BigInt(ledger) << 32n) + 0x9000n), ledger, successful: true },
    ...{
      source_account: transaction.source,
      source_account_sequence: transaction.sequence,
      fee_charged: '100',
      memo_type: 'none',
    },
    ...{ created_at: new Date().toISOString(), envelope_xdr: envelope, result_xdr: paidResult() },
  }
}

/** Keeps what is submitted, and shows it as applied in the newest ledger. */
export function keepSubmissions(anchor: LedgerAnchor): Lie {
  const kept = new Map<string, string>()
  return {
    told: 0,
    keeps: form => {
      const envelope = new URLSearchParams(form).get('tx') ?? ''
      const hash = hashOf(envelope, anchor.network.passphrase)
      kept.set(hash, envelope)
      return JSON.stringify({ tx_status: 'PENDING', hash })
    },
    tell: path => {
      const envelope = kept.get(/^\/transactions\/(\w+)$/.exec(path)?.[1] ?? '')
      return envelope === undefined ? null : JSON.stringify(inventedOutcome(anchor, envelope))
    },
  }
}
