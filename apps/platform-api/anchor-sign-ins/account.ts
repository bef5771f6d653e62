import { invalid } from '@windlass/service/http/problem.ts'
import { isContract, isStellarAccount } from '@windlass/stellar/addresses.ts'
import type { Account } from '../visits/accounts.ts'

/** What an anchor names of who signs in; `address` is a wallet of one's own, as earlier releases sent it. */
interface Given {
  account?: string
  memo?: string
  address?: string
}

/** The account that an anchor names, or null. Throws `validation-failed` for what is no address. */
export function readAccount({ address, account = address, memo }: Given): Account | null {
  if (account === undefined) {
    if (memo !== undefined) throw invalid('memo', 'needs an account')
    return null
  }
  if (!isStellarAccount(account) && !isContract(account))
    throw invalid('account', 'must be a Stellar account, G…, M… or C…')
  return { account, memo: memo ?? null }
}
