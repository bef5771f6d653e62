import {
  baseReserve,
  isPoolId,
  spendable,
  subentryLimit,
  type Account,
  type AssetContract,
  type ContractBalance,
  type Entry,
  type LiquidityPool,
  type Signer,
} from '../ledger/entries.ts'
import type { LedgerState } from '../ledger/state.ts'

/** An entry that someone pays a reserve for. */
export type Reserved = Exclude<Entry, LiquidityPool | ContractBalance | AssetContract>

type Reservation = 'done' | 'low-reserve' | 'too-many'

/** Base reserves of an entry (CAP-33, CAP-38). */
export function reservesOf(entry: Reserved): number {
  if (entry.kind === 'account') return 2
  if (entry.kind === 'claimable-balance') return entry.claimants.length
  return entry.kind === 'trustline' && isPoolId(entry.asset) ? 2 : 1
}

/** The account whose entry it is; a claimable balance belongs to none. */
export function ownerOf(entry: Reserved): string | undefined {
  switch (entry.kind) {
    case 'account':
      return entry.id
    case 'claimable-balance':
      return undefined
    case 'offer':
      return entry.seller
    default:
      return entry.account
  }
}

/**
 * Reserves for a new entry and writes it. Its sponsor is the account that sponsors its owner at this moment of the
 * transaction, if any; a claimable balance has one in any case (`creator`).
 */
export function createEntry(state: LedgerState, entry: Reserved, creator = ownerOf(entry)): Reservation {
  const count = reservesOf(entry)
  const owner = ownerOf(entry)
  const sponsor = state.sponsorships.get(creator ?? '') ?? (owner === undefined ? creator : undefined)
  const reserved = reserve(state, {
    owner: entry.kind === 'account' ? undefined : owner,
    sponsor,
    count,
    balance: entry.kind === 'account' ? entry.balance : undefined,
  })
  if (reserved !== 'done') return reserved
  if (entry.kind === 'account')
    state.put({ ...entry, sponsored: sponsor ? count : 0, sponsor: sponsor ?? null })
  else if (entry.kind === 'claimable-balance') state.put({ ...entry, sponsor: sponsor ?? entry.sponsor })
  else state.put({ ...entry, sponsor: sponsor ?? null })
  return 'done'
}

/** Adds a signer's reserve to its account. @returns the sponsor, if it has one */
export function reserveSigner(state: LedgerState, owner: string): { outcome: Reservation; sponsor?: string } {
  const sponsor = state.sponsorships.get(owner)
  return { outcome: reserve(state, { owner, sponsor, count: 1 }), ...(sponsor && { sponsor }) }
}

function reserve(
  state: LedgerState,
  given: {
    owner: string | undefined
    sponsor: string | undefined
    count: number
    balance?: bigint | undefined
  },
): Reservation {
  const { owner, sponsor, count, balance } = given
  const needed = BigInt(count) * baseReserve
  const account = owner === undefined ? undefined : state.account(owner)
  if (account && account.subentries > subentryLimit - count) return 'too-many'
  const payer = sponsor === undefined ? account : state.account(sponsor)
  if (payer ? spendable(payer) < needed : (balance ?? 0n) < needed) return 'low-reserve'
  if (account)
    state.put({
      ...account,
      subentries: account.subentries + count,
      sponsored: account.sponsored + (sponsor === undefined ? 0 : count),
    })
  if (sponsor !== undefined) addSponsoring(state, sponsor, count)
  return 'done'
}

/** Removes an entry and gives back what was reserved for it. */
export function removeEntry(state: LedgerState, entry: Reserved): void {
  state.remove(entry)
  release(state, entry.kind === 'account' ? undefined : ownerOf(entry), entry.sponsor, reservesOf(entry))
}

/** Gives back the reserve of a signer, sponsored or not. */
export function releaseSigner(
  state: LedgerState,
  owner: string,
  { sponsor = null }: { sponsor?: string | null },
) {
  release(state, owner, sponsor, 1)
}

function release(state: LedgerState, owner: string | undefined, sponsor: string | null, count: number): void {
  const account = owner === undefined ? undefined : state.account(owner)
  if (account)
    state.put({
      ...account,
      subentries: account.subentries - count,
      sponsored: account.sponsored - (sponsor === null ? 0 : count),
    })
  if (sponsor !== null) addSponsoring(state, sponsor, -count)
}

export function addSponsoring(state: LedgerState, sponsor: string, count: number): void {
  const account = state.account(sponsor)
  if (account) state.put({ ...account, sponsoring: account.sponsoring + count })
}

/**
 * Hands the reserve of what exists from one payer to another; undefined stands for the owner itself.
 * @returns false when the new payer cannot cover it
 */
export function moveReserve(
  state: LedgerState,
  owner: string | undefined,
  { from, to, count }: { from: string | undefined; to: string | undefined; count: number },
): boolean {
  const payer = state.account(to ?? owner ?? '')
  if (!payer || spendable(payer) < BigInt(count) * baseReserve) return false
  if (from !== undefined) addSponsoring(state, from, -count)
  if (to !== undefined) addSponsoring(state, to, count)
  const sponsoredBy = (to === undefined ? 0 : count) - (from === undefined ? 0 : count)
  const account = owner === undefined ? undefined : state.account(owner)
  if (account && sponsoredBy !== 0) state.put({ ...account, sponsored: account.sponsored + sponsoredBy })
  return true
}

/** Another list of signers on an account as it is now. */
export function putSigners(state: LedgerState, id: string, signers: readonly Signer[]): void {
  const account: Account | undefined = state.account(id)
  if (account) state.put({ ...account, signers })
}
