import { splitAsset, type AssetName } from '../ledger/assets.ts'
import { int64Max, LineFlag, spendable, subentryLimit } from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'

/**
 * Takes an amount from a holder. The issuer of an asset has it without limit.
 * Reserves bind lumens; an asset needs an authorised trustline.
 */
export function spend(
  state: LedgerState,
  holder: string,
  asset: AssetName,
  amount: bigint,
): 'done' | 'no-trust' | 'not-authorized' | 'underfunded' {
  if (asset === 'native') {
    const account = state.account(holder)
    if (!account || spendable(account) < amount) return 'underfunded'
    state.put({ ...account, balance: account.balance - amount })
    return 'done'
  }
  if (splitAsset(asset).issuer === holder) return 'done'
  const line = state.trustLine(holder, asset)
  if (!line) return 'no-trust'
  if ((line.flags & LineFlag.authorized) === 0) return 'not-authorized'
  if (line.balance < amount) return 'underfunded'
  state.put({ ...line, balance: line.balance - amount })
  return 'done'
}

/** Gives an amount to a holder; the issuer takes its asset back, which destroys it. */
export function receive(
  state: LedgerState,
  holder: string,
  asset: AssetName,
  amount: bigint,
): 'done' | 'no-trust' | 'not-authorized' | 'full' {
  if (asset === 'native') {
    const account = state.account(holder)
    if (!account || account.balance > int64Max - amount) return 'full'
    state.put({ ...account, balance: account.balance + amount })
    return 'done'
  }
  if (splitAsset(asset).issuer === holder) return 'done'
  const line = state.trustLine(holder, asset)
  if (!line) return 'no-trust'
  if ((line.flags & LineFlag.authorized) === 0) return 'not-authorized'
  if (line.balance > line.limit - amount) return 'full'
  state.put({ ...line, balance: line.balance + amount })
  return 'done'
}

/** Counts one more subentry (trustline, signer, data) on an account whose reserve covers it. */
export function addSubentry(state: LedgerState, id: string): 'done' | 'low-reserve' | 'too-many' {
  const account = state.account(id)
  if (!account) return 'low-reserve'
  if (account.subentries >= subentryLimit) return 'too-many'
  if (spendable(account, 1) < 0n) return 'low-reserve'
  state.put({ ...account, subentries: account.subentries + 1 })
  return 'done'
}

export function removeSubentry(state: LedgerState, id: string): void {
  const account = state.account(id)
  if (account) state.put({ ...account, subentries: account.subentries - 1 })
}
