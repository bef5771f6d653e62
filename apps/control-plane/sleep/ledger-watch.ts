import { listChangedAccounts } from '@windlass/stellar/changed-accounts.ts'
import { readAccountAnswer } from '@windlass/stellar/horizon-account.ts'
import { isDeepStrictEqual } from 'node:util'
import { gatewayOf } from '../config.ts'
import type { Deps } from '../deps.ts'
import { balancesOf } from './suspend.ts'

/** What a round asks about accounts of anchors that sleep. Null stands for an anchor without one. */
interface LedgerRound {
  /** Whether this round looks the account up. Ask for each: the next round forgets the others. */
  mayHaveChanged(account: string | null): boolean
  /** Whether the balances are other ones by now. */
  differs(account: string | null, balances: unknown): Promise<boolean>
}

/** Moments are in monotonic milliseconds. */
interface Watched {
  /** How the account was then, or later, was compared. */
  comparedAt: number
  /** An answer from before does not tell whether it changed. */
  neededFrom: number
  lookedAt: number
  /** Whether there was a payment that no answer contains for certain yet. */
  paid: boolean
}

/** An instance of Horizon may be as far behind the one whose payments the gateway reads. */
const BEHIND_MS = 45_000
/** Accounts that are looked up in LEDGER_CHECK_SECONDS at most, where Horizon limits requests: a fifth of its default limit. */
const CHECKS_AT_MOST = 12
/** Balances also change without a payment, such as by a claimed balance: all are looked up from time to time. */
const ALL_EVERY = 10
/** Limit of these in that time: one in 20 seconds, a twentieth of Horizon's default limit. */
const ALL_AT_MOST = 30

/**
 * Finds the accounts whose balances may have changed: one question to the ledger gateway for all. One that had a payment is
 * looked up in each round until an answer is young enough to contain it, the others evenly: where the gateway does not
 * know, once in LEDGER_CHECK_SECONDS. Call the result once in each round.
 */
export function createLedgerWatch(deps: Deps): () => Promise<LedgerRound> {
  const gateway = gatewayOf(deps.config)
  const everyMs = deps.config.work.ledgerCheckSeconds * 1_000
  const checks = createPace(everyMs)
  const oldest = createPace(ALL_EVERY * everyMs)
  let watched = new Map<string, Watched>()
  let since = ''
  let askedAt = -Infinity
  let isLimited = true

  /** Null: not known. */
  const listChanged = async (): Promise<readonly string[] | null> => {
    // Where there is no gateway it is not asked in every round.
    if (since === '' && performance.now() - askedAt < everyMs) return null
    askedAt = performance.now()
    try {
      const changes = await listChangedAccounts(gateway, since)
      since = changes?.now ?? ''
      return changes?.accounts ?? null
    } catch {
      // When it answers again it says what changed since.
      return since === '' ? null : []
    }
  }
  const read = async (account: string, paid: boolean) => {
    const answer = await readAccountAnswer(gateway, account, paid ? 'person' : 'routine')
    const routineHorizon = { ...deps.routineHorizon, account: async () => answer.account }
    return { ...answer, balances: await balancesOf({ ...deps, routineHorizon }, account) }
  }

  return async () => {
    const changed = await listChanged()
    const now = performance.now()
    const known = watched
    watched = new Map()
    const all = [...known.values()]
    if (changed === null) for (const each of all) each.neededFrom = now + BEHIND_MS
    const paid = new Set(changed)
    for (const [account, each] of known)
      if (paid.has(account)) Object.assign(each, { neededFrom: now + BEHIND_MS, paid: true })

    const old = all.filter(each => !isOpen(each)).toSorted((a, b) => a.comparedAt - b.comparedAt)
    for (const each of old.slice(0, oldest(now, Math.min(all.length, ALL_AT_MOST)))) each.neededFrom = now

    const open = all.filter(each => isOpen(each) && !each.paid && now - each.lookedAt >= everyMs)
    const allowed = checks(now, isLimited ? Math.min(all.length, CHECKS_AT_MOST) : all.length)
    const looks = new Set(open.toSorted((a, b) => a.lookedAt - b.lookedAt).slice(0, allowed))

    return {
      mayHaveChanged: account => {
        if (account === null) return false
        // What was compared when it fell asleep may have been an old answer.
        const each = known.get(account) ?? {
          comparedAt: 0,
          neededFrom: now + BEHIND_MS,
          lookedAt: -everyMs,
          paid: paid.has(account),
        }
        watched.set(account, each)
        return each.paid || looks.has(each)
      },
      differs: async (account, balances) => {
        const each = account === null ? undefined : watched.get(account)
        if (account === null || !each) return false
        const at = (each.lookedAt = performance.now())
        const answer = await read(account, each.paid)
        isLimited = answer.isLimited
        if (!isDeepStrictEqual(balances, answer.balances)) return true
        each.comparedAt = Math.max(each.comparedAt, at - answer.ageMs)
        if (!isOpen(each)) each.paid = false
        return false
      },
    }
  }
}

const isOpen = ({ comparedAt, neededFrom }: Watched): boolean => comparedAt < neededFrom

/** How many of `count` it is the turn of, where all have theirs once in a time, evenly. */
function createPace(lapMs: number): (now: number, count: number) => number {
  let last = performance.now()
  let due = 0
  return (now, count) => {
    due = Math.min(count, due + ((now - last) / lapMs) * count)
    last = now
    const whole = Math.floor(due)
    due -= whole
    return whole
  }
}
