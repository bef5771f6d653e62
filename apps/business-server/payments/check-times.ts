import { parseAmount } from '@windlass/money/amount.ts'
import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import type { Horizon, PaymentRecord } from '@windlass/stellar/horizon.ts'
import type { Deps } from '../deps.ts'
import { asIncoming } from './read-record.ts'

/** Ledgers by which instances of Horizon may be apart: about a minute. */
export const APART_LEDGERS = 12

/**
 * Compares the time of records with their ledger's header, whose hash is part of the chain: whether money came in time
 * follows from it, and the record itself proves it by nothing.
 *
 * @param latest the newest ledger that is closed
 * @returns by record, what is wrong, or that its ledger is not there yet. The others are right, or move no money that counts.
 */
export async function compareTimes(
  deps: Deps,
  horizon: Pick<Horizon, 'ledger'>,
  records: readonly PaymentRecord[],
  latest: number,
): Promise<Map<string, 'waits' | { fault: string }>> {
  const found = new Map<string, 'waits' | { fault: string }>()
  const counted = records.filter(record => record.fault === null && mayCount(deps, record))
  for (const [sequence, all] of Map.groupBy(counted, ({ paging_token: token }) => ledgerOf(token))) {
    const ledger = await horizon.ledger(sequence)
    for (const { id, created_at } of all) {
      if (ledger === null)
        found.set(id, isRecent(sequence, latest) ? 'waits' : { fault: 'its ledger is not there' })
      else if (secondsOf(new Date(created_at)) !== secondsOf(ledger.closedAt))
        found.set(id, { fault: 'its time is not that of its ledger' })
    }
  }
  return found
}

/** What is less than the smallest transaction goes back, whenever it came: floods of it are asked about by nobody. */
function mayCount(deps: Deps, record: PaymentRecord): boolean {
  try {
    const payment = asIncoming(deps, record)
    return payment !== null && parseAmount(payment.amount) >= parseAmount(deps.config.anchor.plan.limits.min)
  } catch {
    // What cannot be read is set aside, whenever it came.
    return false
  }
}

/** Another instance of Horizon may not have the newest ledgers yet. */
const isRecent = (sequence: number, latest: number): boolean =>
  sequence > 0 && sequence > latest - APART_LEDGERS

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1_000)
