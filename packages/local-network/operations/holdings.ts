import { splitAsset, type AssetName } from '../ledger/assets.ts'
import { int64Max, LineFlag, spendable } from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'

export function isIssuer(account: string, asset: AssetName): boolean {
  return asset !== 'native' && splitAsset(asset).issuer === account
}

/** What a holder may give away: reserves and selling liabilities stay. The issuer of an asset has it without limit. */
export function available(state: LedgerState, holder: string, asset: AssetName): bigint {
  if (isIssuer(holder, asset)) return int64Max
  if (asset === 'native') {
    const account = state.account(holder)
    return account ? spendable(account) : 0n
  }
  const line = state.trustLine(holder, asset)
  return line && line.flags & LineFlag.authorization ? line.balance - line.selling : 0n
}

/** What a holder has room for beside its buying liabilities. */
export function room(state: LedgerState, holder: string, asset: AssetName): bigint {
  if (isIssuer(holder, asset)) return int64Max
  if (asset === 'native') {
    const account = state.account(holder)
    return account ? int64Max - account.balance - account.buying : 0n
  }
  const line = state.trustLine(holder, asset)
  return line && line.flags & LineFlag.authorization ? line.limit - line.balance - line.buying : 0n
}

/** Changes a balance by an amount that `available` or `room` allows. */
export function addBalance(state: LedgerState, holder: string, asset: AssetName, amount: bigint): void {
  if (amount === 0n || isIssuer(holder, asset)) return
  const entry = asset === 'native' ? state.account(holder) : state.trustLine(holder, asset)
  if (!entry) throw new Error(`${holder} holds no ${asset}`)
  state.put({ ...entry, balance: entry.balance + amount })
}

/** Binds what an offer sells and buys, or releases it with negative amounts. */
export function addLiabilities(
  state: LedgerState,
  holder: string,
  asset: AssetName,
  { buying = 0n, selling = 0n }: { buying?: bigint; selling?: bigint },
): void {
  if (isIssuer(holder, asset)) return
  const entry = asset === 'native' ? state.account(holder) : state.trustLine(holder, asset)
  if (!entry) throw new Error(`${holder} holds no ${asset}`)
  state.put({ ...entry, buying: entry.buying + buying, selling: entry.selling + selling })
}

type Refusal = 'no-trust' | 'not-authorized'

/** Whether an account may pay and be paid in an asset, apart from amounts. */
export function usable(state: LedgerState, holder: string, asset: AssetName): 'usable' | Refusal {
  if (asset === 'native' || isIssuer(holder, asset)) return 'usable'
  const line = state.trustLine(holder, asset)
  if (!line) return 'no-trust'
  return line.flags & LineFlag.authorized ? 'usable' : 'not-authorized'
}

/** Takes an amount from a holder. */
export function spend(
  state: LedgerState,
  holder: string,
  asset: AssetName,
  amount: bigint,
): 'done' | Refusal | 'underfunded' {
  const refusal = usable(state, holder, asset)
  if (refusal !== 'usable') return refusal
  if (available(state, holder, asset) < amount) return 'underfunded'
  addBalance(state, holder, asset, -amount)
  return 'done'
}

/** Gives an amount to a holder; the issuer takes its asset back, which destroys it. */
export function receive(
  state: LedgerState,
  holder: string,
  asset: AssetName,
  amount: bigint,
): 'done' | Refusal | 'full' {
  const refusal = usable(state, holder, asset)
  if (refusal !== 'usable') return refusal
  if (room(state, holder, asset) < amount) return 'full'
  addBalance(state, holder, asset, amount)
  return 'done'
}
