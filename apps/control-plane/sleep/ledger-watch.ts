import { listChangedAccounts } from '@windlass/stellar/changed-accounts.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../deps.ts'
import { balancesOf } from './suspend.ts'

/** What a round asks about accounts of anchors that sleep. Null stands for an anchor without one. */
interface LedgerRound {
  mayHaveChanged(account: string | null): boolean
  /** Whether the balances are other ones by now. */
  differs(account: string | null, balances: unknown): Promise<boolean>
}

/** An instance of Horizon may be as far behind the one whose payments the gateway reads. */
const BEHIND_MS = 45_000
/** Balances also change without a payment, such as by a claimed balance: all are looked up from time to time. */
const ALL_EVERY = 10

/**
 * Finds the accounts whose balances may have changed: one question to the ledger gateway for all. Where that does not know,
 * or a look failed, each account is looked up once in LEDGER_CHECK_SECONDS. Call the result once in each round.
 */
export function createLedgerWatch(deps: Deps): () => Promise<LedgerRound> {
  const { gatewayUrl } = deps.config.ledger
  const everyMs = deps.config.work.ledgerCheckSeconds * 1_000
  let since = ''
  let missed = true
  let lookedAt = -Infinity
  /** Until when each that had a payment is looked up, in monotonic milliseconds. */
  const changed = new Map<string, number>()
  const pauseIsOver = () => performance.now() - lookedAt >= (missed ? everyMs : ALL_EVERY * everyMs)

  return async () => {
    // Where there is no gateway it is not asked in every round.
    const asks = since !== '' || pauseIsOver()
    const changes = asks ? await listChangedAccounts(gatewayUrl, since).catch(() => null) : null
    since = changes?.now ?? ''
    if (!changes?.accounts) missed = true
    const all = pauseIsOver()
    if (all) {
      lookedAt = performance.now()
      missed = false
    }
    const now = performance.now()
    for (const [account, until] of changed) if (until < now) changed.delete(account)
    for (const account of changes?.accounts ?? []) changed.set(account, now + BEHIND_MS)
    return {
      mayHaveChanged: account => all || (account !== null && changed.has(account)),
      differs: async (account, balances) => {
        if (account === null) return false
        try {
          return !isDeepStrictEqual(balances, await balancesOf(deps, account))
        } catch (error) {
          missed = true
          throw error
        }
      },
    }
  }
}
