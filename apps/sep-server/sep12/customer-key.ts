import type { Principals } from '@windlass/contracts/realm.ts'
import type { CustomerKey } from '../business/business-server.ts'
import { refused } from '../sep-errors.ts'

interface Given {
  id?: string
  account?: string
  memo?: string
  memo_type?: string
  type?: string
  lang?: string
  transaction_id?: string
}

/**
 * Which customer a request is about: always one of the account that the token is for. A memo keeps customers of one
 * account apart; one in the token cannot be changed by the request. Throws a refusal.
 */
export function customerKey(wallet: Principals['wallet'], given: Given): CustomerKey {
  if (given.account && given.account !== wallet.account) {
    throw refused('account is not the one that the token is for')
  }
  if (wallet.memo !== null && given.memo && given.memo !== wallet.memo) {
    throw refused('memo is not the one that the token is for')
  }
  if (given.memo && (given.memo_type ?? 'id') === 'id' && !/^\d{1,20}$/.test(given.memo)) {
    throw refused('memo must be of type id')
  }
  const memo = wallet.memo ?? (given.memo || undefined)
  return {
    id: given.id || undefined,
    account: wallet.account,
    memo,
    memo_type: memo === undefined ? undefined : 'id',
    type: given.type || undefined,
    lang: given.lang || undefined,
    transaction_id: given.transaction_id || undefined,
  }
}
