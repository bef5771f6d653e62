import { xdr } from '@stellar/stellar-sdk/base'
import { servedAssets, servesXlm, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { add, amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { baseAccount, isContract, muxedParts } from '@windlass/stellar/addresses.ts'
import type { ContractTransfer } from '@windlass/stellar/asset-contract.ts'
import { isRecordOf, ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { hashInside, operationIndex, transferIn } from '@windlass/stellar/check-answers.ts'
import type { PaymentRecord } from '@windlass/stellar/horizon.ts'
import { readEnvelope, type EnvelopeOperation } from '@windlass/stellar/read-envelope.ts'
import type { Deps } from '../deps.ts'
import type { LedgerAsset } from '../tables.ts'

/** A payment to the distribution account, as Horizon describes it. */
export interface IncomingPayment {
  /** The operation's id, unique on its chain. */
  id: string
  hash: string
  /** The hash of the transaction inside a fee bump. */
  innerHash?: string | null
  /** `G…` or `C…` */
  sender: string
  /** Where a refund goes: the sender, or its muxed address. */
  returnTo: string
  /** As the database has it. */
  amount: string
  units: Amount
  asset: LedgerAsset
  /** Null: XLM. */
  served: ServedAsset | null
  memo: string | null
  memoType: string
  /** The id of the muxed address it was paid to. */
  muxedId: string | null
  /** When its ledger closed. */
  closedAt: Date
  /** XLM that came with no payment: the account was opened with it, or another account ended in it. */
  by?: 'opening' | 'merge'
}

/**
 * A payment of one of the anchor's assets or of XLM to the distribution account, by a payment operation or by a call of
 * its asset's contract (`C…` pays so); null for any other.
 *
 * @throws {Error} where an operator has to decide: the envelope does not show what another contract's call transfers, and
 *   without a simulation nothing can be sent back to a contract account.
 */
export function asIncoming(deps: Deps, record: PaymentRecord): IncomingPayment | null {
  const { config } = deps
  const { accounts } = config.anchor
  const assets = servedAssets(config.anchor)
  if (record.type === 'invoke_host_function') return incomingCall(deps, record)
  if (servesXlm(config.anchor) && record.type in unpaid) return incomingUnpaid(deps, record)
  const native = record.asset_type === 'native'
  const ours = assets.find(asset => isRecordOf(record, asset))
  const received =
    record.type.includes('payment') &&
    record.transaction_successful &&
    record.to === accounts.distribution &&
    (native || ours !== undefined)
  if (!received || !record.from || !record.amount) return null
  return {
    ...broughtUnits(parseAmount(record.amount), ours ?? null),
    ...commonOf(config, record),
    sender: record.from,
    returnTo: record.from_muxed ?? record.from,
    muxedId: record.to_muxed_id ?? null,
  }
}

/** What a payment brought of an asset; null: of XLM. */
export const broughtUnits = (units: Amount, served: ServedAsset | null) => ({
  ...{ units, served, amount: formatAmount(units), asset: served === null ? 'native' : served.key },
})

const commonOf = ({ anchor }: Deps['config'], record: PaymentRecord) => ({
  id: record.id,
  hash: record.transaction_hash,
  innerHash: record.transaction
    ? hashInside(record.transaction.envelope_xdr, anchor.network.passphrase)
    : null,
  memo: record.transaction?.memo === undefined ? null : storable(record.transaction.memo),
  memoType: record.transaction?.memo_type ?? 'none',
  closedAt: new Date(record.created_at),
})

/** Operations that bring XLM and are no payments. */
const unpaid = { create_account: 'opening', account_merge: 'merge' } as const

/** By the envelope and the result, which were compared with the transaction's hash. */
function incomingUnpaid(deps: Deps, record: PaymentRecord): IncomingPayment | null {
  const { config } = deps
  const { accounts, network } = config.anchor
  const found = operationOf(record, network.passphrase)
  if (!found || !record.transaction_successful) return null
  const { source, index } = found
  const operation = found.operation.read()
  if (!('destination' in operation) || baseAccount(operation.destination ?? '') !== accounts.distribution)
    return null
  const amount =
    operation.type === 'createAccount' ? parseAmount(operation.startingBalance) : mergedIn(record, index)
  if (amount === 0n) return null
  return {
    ...broughtUnits(amountOf(amount), servedAssets(deps.config.anchor)[0]),
    ...commonOf(config, record),
    ...{ sender: baseAccount(source), returnTo: source, muxedId: null },
    by: operation.type === 'createAccount' ? 'opening' : 'merge',
  }
}

/** What an account had that ended in the distribution account. */
function mergedIn({ transaction }: PaymentRecord, index: number): bigint {
  const { result } = xdr.TransactionResult.fromXdr(transaction?.result_xdr ?? '', 'base64')
  const whole = 'innerResultPair' in result ? result.innerResultPair.result.result : result
  const merged = 'results' in whole ? whole.results[index] : undefined
  const value = merged?.type === 'opInner' ? merged.tr.value : null
  if (value?.type !== 'accountMergeSuccess') throw new Error('the result of a merge cannot be read')
  return BigInt(value.sourceAccountBalance)
}

/** The memo of a call is the number of the muxed account that it pays (CAP-67). */
function incomingCall({ config, simulate }: Deps, record: PaymentRecord): IncomingPayment | null {
  const { accounts, network } = config.anchor
  const [brought, another] = broughtByCall({ config }, record)
  if (!brought?.served) return null
  const { units, served } = brought
  const call = callIn(record, network.passphrase)
  const isPlain =
    !another &&
    call?.contract === ledgerAssetOf(served).contractId(network.passphrase) &&
    baseAccount(call.to) === accounts.distribution &&
    call.amount === units
  if (!call || !isPlain || (isContract(call.from) && !simulate))
    throw new Error(
      `a contract's call transferred ${formatAmount(units)} ${served.code}, which is no payment operation`,
    )
  return {
    ...brought,
    ...commonOfCall(config, record),
    sender: call.from,
    returnTo: call.from,
    muxedId: muxedParts(call.to)?.id ?? null,
  }
}

const commonOfCall = (config: Deps['config'], record: PaymentRecord) => ({
  ...commonOf(config, record),
  ...{ memo: null, memoType: 'none' },
})

/** The transfer that a record's operation asks an asset's contract for, by its envelope, which was checked. */
function callIn(record: PaymentRecord, passphrase: string): ContractTransfer | null {
  const found = operationOf(record, passphrase)
  return found && transferIn(found.operation)
}

/** What a call of a contract brought, as payments of each asset: to be counted, where it is little. */
export function countedByCall({ config }: Pick<Deps, 'config'>, record: PaymentRecord): IncomingPayment[] {
  const sender = callIn(record, config.anchor.network.passphrase)?.from ?? ''
  return broughtByCall({ config }, record).map(brought => ({
    ...brought,
    ...commonOfCall(config, record),
    ...{ sender, returnTo: sender, muxedId: null },
  }))
}

/** What a record brought of each asset. @throws {Error} as {@link asIncoming} */
export function broughtBy(deps: Deps, record: PaymentRecord): Pick<IncomingPayment, 'units' | 'served'>[] {
  if (record.type === 'invoke_host_function') return broughtByCall(deps, record)
  const payment = asIncoming(deps, record)
  return payment ? [payment] : []
}

const broughtByCall = ({ config: { anchor } }: Pick<Deps, 'config'>, record: PaymentRecord) =>
  servedAssets(anchor)
    .map(asset => broughtUnits(transferredByCall(anchor.accounts.distribution, asset, record), asset))
    .filter(({ units }) => units > 0n)

/** The operation of a record, its source and its place, by its envelope, which was checked. */
function operationOf(
  { id, transaction }: PaymentRecord,
  passphrase: string,
): { operation: EnvelopeOperation; source: string; index: number } | null {
  if (!transaction) return null
  const { operations } = readEnvelope(transaction.envelope_xdr, passphrase)
  const index = operationIndex(id)
  const operation = operations[index]
  return operation ? { operation, source: operation.source, index } : null
}

/** What a contract's call brought the distribution account of an asset. */
function transferredByCall(
  distribution: string,
  asset: Pick<ServedAsset, 'code' | 'issuer'>,
  { type, transaction_successful, asset_balance_changes = [] }: PaymentRecord,
): Amount {
  if (type !== 'invoke_host_function' || !transaction_successful) return parseAmount('0')
  const amounts = asset_balance_changes
    .filter(
      change =>
        change.type === 'transfer' &&
        change.to === distribution &&
        change.from !== distribution &&
        isRecordOf(change, asset),
    )
    .map(({ amount }) => parseAmount(amount))
  return amounts.reduce(add, parseAmount('0'))
}

/** A memo text may hold any bytes; a text column holds neither NUL nor half of a surrogate pair. */
export const storable = (text: unknown): string => String(text).toWellFormed().replaceAll('\0', '\u{FFFD}')
