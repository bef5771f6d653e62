import { setTimeout as sleep } from 'node:timers/promises'
import type { Horizon } from './horizon.ts'
import { LedgerError } from './ledger-error.ts'

const TIMEOUT_MS = 10_000

/**
 * Creates the account from a test network's faucet, or finds that it is there already.
 * Throws {@link LedgerError} `faucet-unavailable` when the faucet is down, late or limits our rate.
 *
 * @param url such as `http://localhost:8000/friendbot`
 */
export async function fundFromFaucet(
  url: string,
  horizon: Horizon,
  account: string,
): Promise<'funded' | 'already-funded'> {
  if (await horizon.account(account)) return 'already-funded'
  const status = await ask(`${url}?addr=${account}`)
  // 400 means that it is funded already: by an earlier request of ours whose answer was lost.
  const waits = status === 200 || status === 400 ? [250, 500, 1_000, 2_000] : []
  if (await appears(horizon, account, waits)) return status === 200 ? 'funded' : 'already-funded'
  throw unavailable(status === 429 ? 'it limits our rate' : `it answered ${status}`)
}

async function ask(url: string): Promise<number> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(url, { signal })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    throw unavailable(signal.aborted ? 'it did not answer in time' : 'it cannot be reached', error)
  }
}

// The faucet may answer a moment before Horizon has taken the ledger in.
async function appears(horizon: Horizon, account: string, waits: number[]): Promise<boolean> {
  for (const wait of [0, ...waits]) {
    await sleep(wait)
    if (await horizon.account(account)) return true
  }
  return false
}

function unavailable(why: string, cause?: unknown): LedgerError {
  const message = `The faucet of the test network is not available: ${why}.`
  return new LedgerError('faucet-unavailable', message, { cause })
}
