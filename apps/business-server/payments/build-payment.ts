import {
  Account,
  Asset,
  Claimant,
  Memo,
  Operation,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { toMemo } from '@windlass/stellar/memo.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerHead } from '@windlass/stellar/horizon.ts'
import { signTransaction } from '@windlass/stellar/keys.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Config } from '../config.ts'
import type { LedgerPayment } from '../tables.ts'

const VALID_SECONDS = 120

/** The signed transaction of one payment out of the distribution account; its time bounds end soon, so that its fate is soon known. */
export function buildPayment(
  { anchor, distributionSeed }: Pick<Config, 'anchor' | 'distributionSeed'>,
  payment: LedgerPayment,
  source: HorizonAccount,
  head: LedgerHead,
  { asClaimable, fee }: { asClaimable: boolean; fee: bigint },
): Transaction {
  const asset =
    payment.asset === 'native' ? Asset.native() : new Asset(anchor.plan.asset.code, anchor.accounts.issuer)
  const amount = formatAmount(parseAmount(payment.amount))
  const { destination } = payment
  const operation = asClaimable
    ? Operation.createClaimableBalance({ asset, amount, claimants: [new Claimant(baseAccount(destination))] })
    : Operation.payment({ asset, amount, destination })
  const transaction = new TransactionBuilder(new Account(source.id, source.sequence), {
    fee: fee.toString(),
    networkPassphrase: anchor.network.passphrase,
    memo: memoOf(payment),
    timebounds: { minTime: 0, maxTime: Math.floor(head.closedAt.getTime() / 1000) + VALID_SECONDS },
  })
    .addOperation(operation)
    .build()
  signTransaction(transaction, distributionSeed)
  return transaction
}

function memoOf({ memo, memo_type }: LedgerPayment): Memo {
  if (memo === null) return Memo.none()
  return memo_type === 'return' ? Memo.return(memo) : toMemo(memo, memo_type ?? 'text')
}
