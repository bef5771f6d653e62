import { unavailable } from '@windlass/service/http/problem.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { askRpc, simulate, type Simulation } from '@windlass/stellar/stellar-rpc.ts'

/** Stellar RPC for logins. Throws `dependency-unavailable` where it does not answer as it should. */
export interface StellarRpc {
  /** Asked at most every half minute. */
  latestLedger(): Promise<number>
  /** Enforces the authorization entries of the transaction (base64 XDR). */
  simulate(transaction: string): Promise<Simulation>
}

const FRESH_MS = 30_000

export function createStellarRpc(url: string, clock: Clock): StellarRpc {
  let known: { sequence: number; at: number } | undefined
  const orUnavailable = (cause: unknown): never => {
    throw unavailable('Stellar RPC', cause)
  }
  return {
    latestLedger: async () => {
      const now = clock.now().getTime()
      if (known && now - known.at < FRESH_MS) return known.sequence
      const { sequence } = await askRpc(url, 'getLatestLedger', {}).catch(orUnavailable)
      if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1)
        throw unavailable('Stellar RPC', new Error('it has no latest ledger'))
      known = { sequence, at: now }
      return sequence
    },
    simulate: transaction => simulate(url, transaction).catch(orUnavailable),
  }
}
