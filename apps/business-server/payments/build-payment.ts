import { createHash } from 'node:crypto'
import {
  Account,
  Asset,
  Claimant,
  Memo,
  Operation,
  Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { transferOperation } from '@windlass/stellar/asset-contract.ts'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { toMemo } from '@windlass/stellar/memo.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { addSignature } from '@windlass/stellar/keys.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import type { Deps } from '../deps.ts'
import type { LedgerAsset, LedgerPayment } from '../tables.ts'
import { simulateCall } from './simulate-call.ts'

export const VALID_SECONDS = 120
/** How long only the customer may claim a claimable balance: 30 days. */
const CLAIM_SECONDS = 30 * 24 * 60 * 60

interface PaymentForm {
  asClaimable?: boolean
  /** The claimable balance that is taken back instead. */
  reclaimed?: string
  /** Whether the account does not exist yet: XLM opens it. */
  opensAccount?: boolean
  /** Stroops. */
  fee: bigint
  /** What the call that pays a contract account uses, by {@link simulatePayment}. */
  resources?: xdr.SorobanTransactionData
}

/** The signed transaction of one payment out of the distribution account; its time bounds end soon, so that its fate is soon known. */
export async function buildPayment(
  { config, distribution }: Pick<Deps, 'config' | 'distribution'>,
  payment: LedgerPayment,
  source: HorizonAccount,
  head: LedgerHead,
  form: PaymentForm,
): Promise<Transaction> {
  const transaction = unsignedPayment(config, payment, source, head, form)
  await addSignature(transaction, distribution)
  return transaction
}

/**
 * What the call of a payment to a contract account uses. The authorization is the payment's own. Throws as
 * {@link simulateCall}.
 */
export async function simulatePayment(
  { config, simulate }: Pick<Deps, 'config' | 'simulate'>,
  payment: LedgerPayment,
  source: HorizonAccount,
  head: LedgerHead,
  fee: bigint,
): Promise<xdr.SorobanTransactionData> {
  return simulateCall({ simulate }, unsignedPayment(config, payment, source, head, { fee }))
}

/** An asset of the anchor on the ledger, or XLM. */
export function ledgerAsset(anchor: AnchorConfig, key: LedgerAsset): Asset {
  if (key === 'native') return Asset.native()
  return ledgerAssetOf(servedAsset(anchor, key))
}

function unsignedPayment(
  { anchor }: Deps['config'],
  payment: LedgerPayment,
  source: HorizonAccount,
  head: LedgerHead,
  { asClaimable = false, opensAccount = false, reclaimed, fee, resources }: PaymentForm,
): Transaction {
  const asset = ledgerAsset(anchor, payment.asset)
  const amount = formatAmount(parseAmount(payment.amount))
  const { destination } = payment
  const treasury = anchor.accounts.distribution
  // A channel gives the sequence number only.
  const by: { source?: string } = source.id === treasury ? {} : { source: treasury }
  const maxTime = Math.floor(head.closedAt.getTime() / 1000) + VALID_SECONDS
  const operation = reclaimed
    ? Operation.claimClaimableBalance({ balanceId: reclaimed, ...by })
    : asClaimable
      ? Operation.createClaimableBalance({
          asset,
          amount,
          claimants: claimants(destination, treasury, maxTime),
          ...by,
        })
      : isContract(destination)
        ? transferOperation(
            {
              contract: asset.contractId(anchor.network.passphrase),
              from: treasury,
              to: destination,
              amount: parseAmount(payment.amount),
            },
            by.source,
          )
        : opensAccount
          ? Operation.createAccount({ destination, startingBalance: amount, ...by })
          : Operation.payment({ asset, amount, destination, ...by })
  return new TransactionBuilder(new Account(source.id, source.sequence), {
    fee: fee.toString(),
    networkPassphrase: anchor.network.passphrase,
    memo: memoOf(payment),
    timebounds: { minTime: causeMark(payment.cause), maxTime },
    ...(resources ? { sorobanData: resources } : {}),
  })
    .addOperation(operation)
    .build()
}

/** The customer at any time, and the anchor after 30 days, so that its reserve does not stay locked. */
const claimants = (destination: string, source: string, maxTime: number): Claimant[] => [
  new Claimant(baseAccount(destination)),
  new Claimant(
    source,
    Claimant.predicateNot(Claimant.predicateBeforeAbsoluteTime(String(maxTime + CLAIM_SECONDS))),
  ),
]

export interface CreatedBalance {
  id: string
  /** From then on the anchor may take it back; null: it never may (version 0.1). */
  reclaimAt: Date | null
}

/** The claimable balance that an envelope of {@link buildPayment} creates; null: it creates none. */
export function createdBalance(xdr: string, passphrase: string): CreatedBalance | null {
  const transaction = TransactionBuilder.fromXdr(xdr, passphrase)
  if (!(transaction instanceof Transaction)) return null
  const [operation] = transaction.operations
  if (operation?.type !== 'createClaimableBalance') return null
  const maxTime = Number(transaction.timeBounds?.maxTime ?? 0)
  const reclaimAt = operation.claimants.length > 1 ? new Date((maxTime + CLAIM_SECONDS) * 1000) : null
  return { id: transaction.getClaimableBalanceId(0), reclaimAt }
}

/** From protocol 25 on the ledger takes no memo beside a call (CAP-67). */
export function memoOf({ memo, memo_type, destination }: LedgerPayment): Memo {
  if (memo === null || isContract(destination)) return Memo.none()
  return memo_type === 'return' ? Memo.return(memo) : toMemo(memo, memo_type ?? 'text')
}

/**
 * What marks a payment on the ledger as the one for its cause, so that a server whose database is older than the
 * payment recognizes it (docs/adr/0037). It is the transaction's `minTime`: a moment before 2004, so that it excludes
 * no ledger.
 */
export const causeMark = (cause: string): number =>
  (createHash('sha256').update(cause).digest().readUInt32BE() >>> 2) + 1
