import type { Principals } from '@windlass/contracts/realm.ts'
import { checkMemo, muxedParts } from '@windlass/stellar/addresses.ts'
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
 * account apart; one in the token cannot be changed by the request, nor the number in a muxed account. Throws a
 * refusal.
 */
export function customerKey(wallet: Principals['wallet'], given: Given): CustomerKey {
  if (given.account && given.account !== wallet.account) {
    throw refused('account is not the one that the token is for')
  }
  const memo = memoOf(wallet, given)
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

function memoOf(wallet: Principals['wallet'], { memo, memo_type }: Given): string | undefined {
  const muxed = muxedParts(wallet.account)
  const fixed = muxed?.id ?? wallet.memo
  if (fixed !== null && memo && memo !== fixed) throw refused('memo is not the one that the token is for')
  // The muxed account itself names the customer.
  if (muxed) return undefined
  if (wallet.memo !== null) return wallet.memo
  if (!memo) return undefined
  const wrong = checkMemo(memo, memo_type || 'id')
  if (wrong) throw refused(`memo ${wrong}`)
  return memo
}
