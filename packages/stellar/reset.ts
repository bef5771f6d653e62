import type { ProofSource } from './horizon.ts'
import { PUBLIC_NETWORK } from './network.ts'

/** A ledger of the chain that was read, or on which an envelope was built. */
export interface RecordedLedger {
  sequence: number
  hash: string
  /** ISO 8601; missing in envelopes stored by version 0.1. */
  closedAt?: string
}

/**
 * Whether a chain contains a recorded ledger. `another`: an answer that the recorded chain cannot give, which is the
 * same number with another hash, or a lower number closed later. `unknown`: a ledger that is missing says nothing,
 * because the instance that answers may be behind. One answer is no proof of a reset: see {@link whyNotReset}.
 */
export async function compareChain(
  horizon: Pick<ProofSource, 'head' | 'ledger'>,
  recorded: RecordedLedger,
): Promise<'same' | 'another' | 'unknown'> {
  const head = await horizon.head()
  if (head.sequence >= recorded.sequence) {
    const found = await horizon.ledger(recorded.sequence)
    if (found === null) return 'unknown'
    return found.hash === recorded.hash ? 'same' : 'another'
  }
  return recorded.closedAt !== undefined && head.closedAt >= new Date(recorded.closedAt)
    ? 'another'
    : 'unknown'
}

/** By what a chain is recognized. */
export interface ChainMemory {
  passphrase: string
  /** Newest first. */
  ledgers: readonly RecordedLedger[]
  /** Hashes of own transactions that were seen on the chain. */
  transactions: readonly string[]
}

/**
 * What speaks against a reset. `public-network`: it never starts again. `same-ledger`, `own-transaction`: the chain still
 * has what is remembered of it. `unproven`: no answer contradicts what is remembered.
 */
type AgainstReset = 'public-network' | 'same-ledger' | 'own-transaction' | 'unproven'

/**
 * Why it is not proven that the network started again from its first ledger; null: it is (docs/adr/0087). Every
 * remembered ledger and transaction is asked for by a request of its own, the newest ledger twice, so that no single wrong answer
 * proves a reset; the second source, where there is one, has to show it as well. The root's passphrase is compared by the
 * Horizon's client.
 */
export async function whyNotReset(
  horizon: Pick<ProofSource, 'head' | 'ledger' | 'transaction' | 'second'>,
  memory: ChainMemory,
): Promise<AgainstReset | null> {
  const against = await whyNotResetAt(horizon, memory)
  return against === null && horizon.second ? whyNotResetAt(horizon.second, memory) : against
}

async function whyNotResetAt(
  horizon: Pick<ProofSource, 'head' | 'ledger' | 'transaction'>,
  { passphrase, ledgers, transactions }: ChainMemory,
): Promise<AgainstReset | null> {
  if (passphrase === PUBLIC_NETWORK) return 'public-network'
  let others = 0
  for (const ledger of [...ledgers, ...ledgers.slice(0, 1)]) {
    const found = await compareChain(horizon, ledger)
    if (found === 'same') return 'same-ledger'
    if (found === 'another') others++
  }
  if (others < 2) return 'unproven'
  for (const hash of transactions) if (await horizon.transaction(hash)) return 'own-transaction'
  return null
}

/** Whether a source still has something that is remembered of the chain. The public network never starts again. */
export async function hasRemembered(
  horizon: Pick<ProofSource, 'head' | 'ledger' | 'transaction'>,
  { passphrase, ledgers, transactions }: ChainMemory,
): Promise<boolean> {
  if (passphrase === PUBLIC_NETWORK) return true
  for (const ledger of ledgers) if ((await compareChain(horizon, ledger)) === 'same') return true
  for (const hash of transactions) if (await horizon.transaction(hash)) return true
  return false
}
