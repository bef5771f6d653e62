import { Asset, TransactionBuilder, FeeBumpTransaction } from '@stellar/stellar-sdk/base'
import { servedAssets, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { add, amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { baseAccount, isContract, muxedParts } from '@windlass/stellar/addresses.ts'
import { readTransfer, type ContractTransfer } from '@windlass/stellar/asset-contract.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import type { Deps } from '../deps.ts'
import type { LedgerAsset } from '../tables.ts'

/** A payment to the distribution account, as Horizon describes it. */
export interface IncomingPayment {
  /** The operation's id, unique on its chain. */
  id: string
  hash: string
  /** `G…` or `C…` */
  sender: string
  /** Where a refund goes: the sender, or its muxed address. */
  returnTo: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memoType: string
  /** The id of the muxed address it was paid to. */
  muxedId: string | null
  /** When its ledger closed. */
  closedAt: Date
}

/**
 * A payment of one of the anchor's assets or of XLM to the distribution account, by a payment operation or by a call of
 * its asset's contract (`C…` pays so); null for any other.
 *
 * @throws {Error} where an operator has to decide: the envelope does not show what another contract's call transfers, and
 *   without a simulation nothing can be sent back to a contract account. A call that brings less than the smallest
 *   transaction is left out.
 */
export function asIncoming(deps: Deps, record: PaymentRecord): IncomingPayment | null {
  const { config } = deps
  const { accounts } = config.anchor
  const assets = servedAssets(config.anchor)
  if (record.type === 'invoke_host_function') return incomingCall(deps, record)
  const native = record.asset_type === 'native'
  const ours = assets.find(({ code, issuer }) => record.asset_code === code && record.asset_issuer === issuer)
  const received =
    record.type.includes('payment') &&
    record.transaction_successful &&
    record.to === accounts.distribution &&
    (native || ours !== undefined)
  if (!received || !record.from || !record.amount) return null
  return {
    asset: native ? 'native' : (ours?.key ?? null),
    id: record.id,
    hash: record.transaction_hash,
    sender: record.from,
    returnTo: record.from_muxed ?? record.from,
    amount: record.amount,
    memo: record.transaction?.memo === undefined ? null : storable(record.transaction.memo),
    memoType: record.transaction?.memo_type ?? 'none',
    muxedId: record.to_muxed_id ?? null,
    closedAt: new Date(record.created_at),
  }
}

/** The memo of a call is the number of the muxed account that it pays (CAP-67). */
function incomingCall({ config, simulate }: Deps, record: PaymentRecord): IncomingPayment | null {
  const { accounts, plan, network } = config.anchor
  for (const asset of servedAssets(config.anchor)) {
    const transferred = transferredByCall(accounts.distribution, asset, record)
    if (transferred < parseAmount(plan.limits.min)) continue
    const call = callIn(record, network.passphrase)
    const isPlain =
      call?.contract === new Asset(asset.code, asset.issuer).contractId(network.passphrase) &&
      baseAccount(call.to) === accounts.distribution &&
      call.amount === transferred
    if (!call || !isPlain || (isContract(call.from) && !simulate))
      throw new Error(
        `a contract's call transferred ${formatAmount(transferred)} ${asset.code}, which is no payment operation`,
      )
    return {
      asset: asset.key,
      id: record.id,
      hash: record.transaction_hash,
      sender: call.from,
      returnTo: call.from,
      amount: formatAmount(amountOf(call.amount)),
      memo: null,
      memoType: 'none',
      muxedId: muxedParts(call.to)?.id ?? null,
      closedAt: new Date(record.created_at),
    }
  }
  return null
}

/** The transfer that a record's operation asks an asset's contract for, by its envelope, which was checked. */
function callIn({ id, transaction }: PaymentRecord, passphrase: string): ContractTransfer | null {
  if (!transaction) return null
  const envelope = TransactionBuilder.fromXdr(transaction.envelope_xdr, passphrase)
  const { operations } = envelope instanceof FeeBumpTransaction ? envelope.innerTransaction : envelope
  // Operations are numbered from 1 in the last 12 bits.
  const operation = operations[Number(BigInt(id) & 0xfffn) - 1]
  return operation ? readTransfer(operation) : null
}

/** What a contract's call brought the distribution account of an asset. */
export function transferredByCall(
  distribution: string,
  { code, issuer }: Pick<ServedAsset, 'code' | 'issuer'>,
  { type, transaction_successful, asset_balance_changes = [] }: PaymentRecord,
): Amount {
  if (type !== 'invoke_host_function' || !transaction_successful) return parseAmount('0')
  const amounts = asset_balance_changes
    .filter(
      change =>
        change.type === 'transfer' &&
        change.to === distribution &&
        change.from !== distribution &&
        change.asset_code === code &&
        change.asset_issuer === issuer,
    )
    .map(({ amount }) => parseAmount(amount))
  return amounts.reduce(add, parseAmount('0'))
}

/** A memo text may hold any bytes; a text column holds neither NUL nor half of a surrogate pair. */
export const storable = (text: unknown): string => String(text).toWellFormed().replaceAll('\0', '\u{FFFD}')
