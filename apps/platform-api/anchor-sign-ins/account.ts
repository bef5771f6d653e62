import { invalid } from '@windlass/service/problem.ts'
import { checkMemo, isContract, isStellarAccount } from '@windlass/stellar/addresses.ts'

/** The ledger account with which someone signs in at an anchor. */
export interface Account {
  /** `G…`, `M…` or `C…` */
  account: string
  /** Tells the people of a shared account apart. */
  memo: string | null
}

interface Given {
  account?: string
  memo?: string
}

/** The account that an anchor names, or null. Throws `validation-failed` for what is no address. */
export function readAccount({ account, memo }: Given): Account | null {
  if (account === undefined) {
    if (memo !== undefined) throw invalid('memo', 'needs an account')
    return null
  }
  if (!isStellarAccount(account) && !isContract(account))
    throw invalid('account', 'must be a Stellar account, G…, M… or C…')
  return { account, memo: memo ?? null }
}

/** A memo as emails show it: anyone who chose its text must not write into them. */
export const printMemo = (memo: string): string => (checkMemo(memo, 'id') === null ? memo : '…')
