import type { ProofSource } from '../horizon.ts'
import { whyNotReset } from '../reset.ts'
import type { EnvelopeStore, StoredEnvelope } from '../settle.ts'

/**
 * Envelopes in memory, with what was asked of the store in `all`, `confirmed` and `retired`.
 *
 * @param resets by whose answers a reset is proven; absent: none is concluded
 */
export function memoryEnvelopes(resets?: () => Pick<ProofSource, 'head' | 'ledger' | 'transaction'>) {
  let current: (StoredEnvelope & { applied: boolean }) | null = null
  const kept = { all: [] as StoredEnvelope[], confirmed: [] as string[], retired: [] as string[] }
  const store: EnvelopeStore = {
    current: async () => current,
    put: async envelope => {
      current = { ...envelope, applied: false }
      kept.all.push(envelope)
    },
    confirm: async hash => {
      if (current?.hash === hash) current = { ...current, applied: true }
      kept.confirmed.push(hash)
    },
    retire: async (_hash, why) => {
      current = null
      kept.retired.push(why)
    },
    isBeforeReset: async ({ hash, ledger }) =>
      resets !== undefined &&
      (await whyNotReset(resets(), { passphrase: '', ledgers: [ledger], transactions: [hash] })) === null,
  }
  return { ...store, ...kept }
}
