import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import type { Horizon, LedgerHead } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import type { Deps } from '../deps.ts'
import type { Position } from './position.ts'

/** Ledgers by which instances of Horizon, and two sources, may be apart: about a minute. */
export const APART_LEDGERS = 12
/** Clocks of servers may be wrong by so much. */
const CLOCKS_APART_MS = 3_600_000
const MS_OF_A_LEDGER = 1_000

/**
 * The newest ledger of a Horizon, where time allows it or the second source has nearly as many: a ledger of the future that
 * is recorded, or moves the observer on, would stop the anchor for years (docs/adr/0194).
 *
 * @throws {LedgerError} where neither is so, or the second source does not answer about it
 */
export async function newestLedger(
  deps: Deps,
  horizon: Pick<Horizon, 'head'>,
  known: Position['ledger'],
): Promise<LedgerHead> {
  const head = await horizon.head()
  // Time says nothing of a chain of which nothing was read.
  if ((known && isInTime(deps, head, known)) || (await hasSecond(deps, head))) return head
  throw notClosed(head.sequence)
}

const notClosed = (sequence: number): LedgerError =>
  new LedgerError('ledger-unavailable', `Horizon shows ledger ${sequence}, which cannot have closed yet.`)

/** Validators close each ledger a second after the one before, at least: then nobody else is asked. */
function isInTime(
  { clock }: Deps,
  { sequence, closedAt }: LedgerHead,
  known: { sequence: number; closedAt: string },
): boolean {
  const passed = closedAt.getTime() - Date.parse(known.closedAt)
  const isClosed = closedAt.getTime() <= clock.now().getTime() + CLOCKS_APART_MS
  return isClosed && sequence <= known.sequence + APART_LEDGERS + Math.max(0, passed) / MS_OF_A_LEDGER
}

/** Without a second source nobody else says which: a network of one machine closes ledgers as it likes. */
async function hasSecond({ horizon }: Deps, { sequence }: LedgerHead): Promise<boolean> {
  if (!horizon.second) return true
  return (await horizon.second.history()).latest + APART_LEDGERS >= sequence
}

/**
 * Places in an account's history are recorded too: from one in a ledger of the future nothing would be read any more.
 *
 * @param places paging tokens in their order
 * @throws {LedgerError} where the last is beyond the newest ledger, of the second source where there is one
 */
export async function requireClosed(
  horizon: Pick<Horizon, 'history' | 'second'>,
  places: readonly { cursor: string }[],
): Promise<void> {
  const last = places.at(-1)
  if (!last) return
  const place = ledgerOf(last.cursor)
  if (place > (await (horizon.second ?? horizon).history()).latest + APART_LEDGERS) throw notClosed(place)
}
