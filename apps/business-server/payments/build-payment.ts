import {
  Account,
  Asset,
  Claimant,
  Memo,
  Operation,
  Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { toMemo } from '@windlass/stellar/memo.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { addSignature } from '@windlass/stellar/keys.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Deps } from '../deps.ts'
import type { LedgerPayment } from '../tables.ts'
import { causeMark } from './cause.ts'

export const VALID_SECONDS = 120
/** How long only the customer may claim a claimable balance: 30 days. */
const CLAIM_SECONDS = 30 * 24 * 60 * 60

interface PaymentForm {
  asClaimable?: boolean
  /** The claimable balance that is taken back instead. */
  reclaimed?: string
  /** Stroops. */
  fee: bigint
}

/** The signed transaction of one payment out of the distribution account; its time bounds end soon, so that its fate is soon known. */
export async function buildPayment(
  { config: { anchor }, distribution }: Pick<Deps, 'config' | 'distribution'>,
  payment: LedgerPayment,
  source: HorizonAccount,
  head: LedgerHead,
  { asClaimable = false, reclaimed, fee }: PaymentForm,
): Promise<Transaction> {
  const asset =
    payment.asset === 'native' ? Asset.native() : new Asset(anchor.plan.asset.code, anchor.accounts.issuer)
  const amount = formatAmount(parseAmount(payment.amount))
  const { destination } = payment
  const treasury = anchor.accounts.distribution
  // A channel gives the sequence number only.
  const by = source.id === treasury ? {} : { source: treasury }
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
      : Operation.payment({ asset, amount, destination, ...by })
  const transaction = new TransactionBuilder(new Account(source.id, source.sequence), {
    fee: fee.toString(),
    networkPassphrase: anchor.network.passphrase,
    memo: memoOf(payment),
    timebounds: { minTime: causeMark(payment.cause), maxTime },
  })
    .addOperation(operation)
    .build()
  await addSignature(transaction, distribution)
  return transaction
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

export function memoOf({ memo, memo_type }: LedgerPayment): Memo {
  if (memo === null) return Memo.none()
  return memo_type === 'return' ? Memo.return(memo) : toMemo(memo, memo_type ?? 'text')
}
