import { unavailable } from '@windlass/service/http/problem.ts'
import { readHorizon } from '@windlass/stellar/horizon-client.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'
import { Refusal } from './refusal.ts'
import type { UsedSequence } from './transactions.ts'

/** An account has one transaction under way; this is how far two views of the ledger may differ. */
const FEW = 20n
/** Accounts of which a number is kept in memory. */
const MOST_KNOWN = 10_000
const ANSWERS_WITHIN_MS = 5_000

export interface Sequences {
  /**
   * Resolves where a sequence number is within a few of its account's own. Throws {@link Refusal} where it is not, and
   * `dependency-unavailable` where the ledger does not say.
   */
  requireNear(used: Pick<UsedSequence, 'source' | 'sequence'>): Promise<void>
}

/**
 * Compares sequence numbers with those of the accounts on the ledger. A number that was read once serves until one is
 * too far from it: on the ledger it only grows, so what is near an old one is near the present one, or was used. One
 * account needs one reading for about twenty transactions, and none while Horizon is down.
 *
 * @param read an account's number by the ledger; null: it shows no such account
 */
export function createSequences(read: (account: string) => Promise<bigint | null>): Sequences {
  const known = new Map<string, bigint>()
  const reading = new Map<string, Promise<bigint | null>>()
  const readOnce = (account: string): Promise<bigint | null> => {
    const started = reading.get(account)
    if (started) return started
    const answer = read(account).finally(() => reading.delete(account))
    reading.set(account, answer)
    return answer
  }
  const keep = (account: string, number: bigint): void => {
    known.delete(account)
    known.set(account, number)
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? '')
  }
  return {
    requireNear: async ({ source, sequence }) => {
      const before = known.get(source)
      if (before !== undefined && isNear(sequence, before)) return
      const now = await readOnce(source)
      if (now === null) throw unavailable(`The ledger's account ${source}`)
      keep(source, now)
      if (isNear(sequence, now)) return
      throw new Refusal(
        'sequence',
        `A transaction with the sequence number ${sequence} was to be signed. The account’s own is ${now}.`,
      )
    },
  }
}

function isNear(sequence: string, own: bigint): boolean {
  const distance = BigInt(sequence) - own
  return -FEW <= distance && distance <= FEW
}

/** Reads from Horizon. Throws `dependency-unavailable`, also where it is of another network. */
export function sequencesOf(ledger: LedgerSource): Sequences {
  return createSequences(async account => {
    const request = { urgency: 'money', timeoutMs: ANSWERS_WITHIN_MS } as const
    const found = await readHorizon<{ sequence?: unknown }>(ledger, `/accounts/${account}`, request).catch(
      (cause: unknown) => {
        throw unavailable('Horizon', cause)
      },
    )
    if (found === null) return null
    if (typeof found.sequence !== 'string' || !/^\d{1,19}$/.test(found.sequence))
      throw unavailable('Horizon', new Error('its account has no sequence number'))
    return BigInt(found.sequence)
  })
}
