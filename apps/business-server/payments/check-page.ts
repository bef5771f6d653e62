import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import { PAGE, type LedgerHead, type PaymentRecord } from '@windlass/stellar/horizon.ts'
import type { Deps } from '../deps.ts'
import type { Position } from './position.ts'
import { APART_LEDGERS, newestLedger } from './newest-ledger.ts'
import { confirmPayments, findMoving, letsPass, type Doubt, type Elders } from './second-source.ts'

/** A payment; `unconfirmed`: its fault is that it is not confirmed. True, in those of earlier releases: by the second source. */
export type CheckedRecord = PaymentRecord & { unconfirmed?: Doubt | true }

interface Page {
  /** Those that do not prove themselves have a fault. */
  records: CheckedRecord[]
  /** The newest of those that do: nothing else moves the observer on, but a full page of nothing else. */
  cursor: string
  isWhollyProven: boolean
}

/**
 * Checks a page's paging tokens beside what Horizon's client checked of each record: they follow the page's order, and
 * none is of a ledger that is not closed, nor of another time than its ledger may be. The second source or signatures confirm what moves money. Records of a ledger that another
 * instance has closed already, or that the second source may show soon, are left for the next read.
 */
export async function checkPage(
  deps: Deps,
  given: readonly PaymentRecord[],
  after: string,
  { head, known, elders }: { head: LedgerHead; known: Position['ledger']; elders: Elders },
): Promise<Page> {
  const places = given.map(({ paging_token: token }) => (isToken(token) ? ledgerOf(token) : Infinity))
  const isBehind = places.some(place => place > head.sequence)
  const newest = isBehind ? await newestLedger(deps, deps.horizon, known) : head
  const { sequence: latest } = newest
  const isClosed = (_: unknown, index: number) => (places[index] ?? Infinity) <= latest
  const moving = await findMoving(deps, given.filter(isClosed))
  const confirmations = await confirmPayments(deps, moving, elders)
  const mistimed = await findMistimed(deps, moving, known)
  let cursor = after
  let waits = false
  const records = given.flatMap((record, index) => {
    const place = places[index] ?? Infinity
    const confirmation = confirmations.get(record.id)
    waits ||= confirmation === 'waits'
    if (waits || (place > latest && place <= latest + APART_LEDGERS)) return []
    const other = typeof confirmation === 'object' ? confirmation : null
    const fault =
      record.fault ??
      other?.fault ??
      (place > latest ? 'its ledger is not closed' : null) ??
      (mistimed.has(record.id) ? WRONG_TIME : timeFault(record, place, newest, known))
    const isProven = fault === null && BigInt(record.paging_token) > BigInt(cursor)
    if (isProven) cursor = record.paging_token
    const unconfirmed = other === null ? {} : { unconfirmed: other.reason }
    return {
      ...record,
      ...unconfirmed,
      fault: fault ?? (isProven ? null : 'its paging token is out of order'),
    }
  })
  // Whatever strangers make of payments that prove nothing: a page of nothing else would be read again and again.
  const isPassed = await mayPass(deps, { given, records, after, latest, confirmations })
  if (isPassed) cursor = given.at(-1)?.paging_token ?? cursor
  // What its sender authorized in advance, or with a key that is gone, does not keep the rest unread.
  const lasts = ({ id }: PaymentRecord) => lastingDoubt(confirmations.get(id)) === true
  const last = given.length < PAGE ? given.findLast(record => !lasts(record)) : given.at(-1)
  const isWhollyProven = last === undefined || last.paging_token === cursor
  return { records, cursor, isWhollyProven }
}

type Confirmations = Awaited<ReturnType<typeof confirmPayments>>

/** Undefined: nobody doubts it, or nobody was asked. */
const lastingDoubt = (confirmation: ReturnType<Confirmations['get']>): boolean | undefined =>
  typeof confirmation === 'object' ? confirmation.lasts : undefined

/**
 * Whether a full page of which nothing proves itself is passed, for whatever reason (docs/adr/0212): its tokens are in order
 * and of closed ledgers, and no second source contradicts it.
 */
async function mayPass(
  deps: Deps,
  page: {
    given: readonly PaymentRecord[]
    records: readonly CheckedRecord[]
    after: string
    latest: number
    confirmations: Confirmations
  },
): Promise<boolean> {
  const { given, records, after, latest, confirmations } = page
  if (given.length < PAGE || records.length < given.length) return false
  if (records.some(({ fault }) => fault === null)) return false
  if (!isInOrder(given, after, latest)) return false
  const isContradicted = given.some(({ id }) => lastingDoubt(confirmations.get(id)) === false)
  return !isContradicted && letsPass(deps, given)
}

/** Nothing that money depends on is decided by less. */
const TOLERANCE_MS = 60_000

/**
 * Why the time that Horizon says of a payment cannot be that of its ledger: prices, limits of a day and the end of a memo
 * follow from it. It lies between that of the ledger that was read last and that of the newest one, whose headers prove it.
 */
function timeFault(
  { created_at }: PaymentRecord,
  place: number,
  newest: LedgerHead,
  known: Position['ledger'],
): string | null {
  const at = Date.parse(created_at)
  const before = known && Date.parse(known.closedAt)
  // Compared with nothing, it would reach the database.
  if (Number.isNaN(at)) return WRONG_TIME
  const isTooLate = at > newest.closedAt.getTime() + TOLERANCE_MS
  const isAfterKnown = known !== null && place > known.sequence
  const isOutside =
    before !== null && (isAfterKnown ? at < before - TOLERANCE_MS : at > before + TOLERANCE_MS)
  return isTooLate || isOutside ? WRONG_TIME : null
}

/**
 * Payments of ledgers up to the one that was read last, as they are where it is read again, that say another time than the
 * headers of their ledgers: nothing else bounds it from below there.
 */
async function findMistimed(
  { horizon }: Deps,
  moving: readonly PaymentRecord[],
  known: Position['ledger'],
): Promise<ReadonlySet<string>> {
  const old = known ? moving.filter(({ paging_token: token }) => ledgerOf(token) <= known.sequence) : []
  const mistimed = new Set<string>()
  for (const [place, payments] of Map.groupBy(old, ({ paging_token: token }) => ledgerOf(token))) {
    const ledger = await horizon.ledger(place)
    for (const each of payments) if (!ledger || !isOfTime(each, ledger)) mistimed.add(each.id)
  }
  return mistimed
}

/** Whether a payment says the time at which its ledger closed, which that ledger's header proves. */
export const isOfTime = ({ created_at }: PaymentRecord, { closedAt }: LedgerHead): boolean =>
  Math.abs(Date.parse(created_at) - closedAt.getTime()) <= TOLERANCE_MS

export const WRONG_TIME = 'its time is not that of its ledger'

/** Whether the tokens of records are in order and of closed ledgers. */
function isInOrder(given: readonly PaymentRecord[], after: string, latest: number): boolean {
  const tokens = [after, ...given.map(({ paging_token: token }) => token)]
  const follow = tokens.every((token, index) => index === 0 || isNext(tokens[index - 1] ?? '', token))
  return follow && ledgerOf(tokens.at(-1) ?? '') <= latest
}

const isNext = (before: string, token: string): boolean => isToken(token) && BigInt(token) > BigInt(before)

export const isToken = (token: unknown): token is string => /^\d{1,19}$/.test(String(token))
