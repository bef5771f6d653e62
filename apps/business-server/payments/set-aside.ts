import type { Db } from '@windlass/service/postgres/database.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { innerHashOf, ledgerOf } from '@windlass/stellar/check-answers.ts'
import { compareChain } from '@windlass/stellar/reset.ts'
import type { Horizon, LedgerHead } from '@windlass/stellar/horizon.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { LedgerIncident, Tables } from '../tables.ts'
import { checkPage, isOfTime, isToken, WRONG_TIME, type CheckedRecord } from './check-page.ts'
import type { Position } from './position.ts'
import { openIncident, openIncidents, resolveIncident } from './incidents.ts'
import { asIncoming, storable } from './incoming-payment.ts'
import type { Verdict } from './judge-ledger-payment.ts'
import { receivePayment } from './receive-ledger-payment.ts'
import { eldersOf } from './second-source.ts'
import { within } from './within.ts'

/*
 * Payments that prove nothing, or cannot be processed, wait in incidents, and are asked for again by their ids. Many of one
 * page share an incident (docs/adr/0212): nobody reads two hundred.
 */

const MAX_RETRY_SECONDS = 3_600
/** Seconds until a payment is asked about again that the second source did not confirm. */
const UNCONFIRMED_RETRY_SECONDS = 60
/** Payments that were set aside and are asked about in one round: each costs several questions. */
const TRIED_AT_ONCE = 20
/** So many of one page, and so many that wait, have incidents of their own. */
const MOST_ALONE = 10
/** One incident is of so many at most. */
const MOST_TOGETHER = 200

/** A payment among others in one incident. */
interface Gathered {
  id: string
  transaction: string
  /** The hash of what a fee bump wraps. */
  inner: string | null
}

type Unproven = CheckedRecord & { fault: string }

export const isUnproven = (record: CheckedRecord): record is Unproven => record.fault !== null

/** Sets those of a page aside that do not prove themselves, in the caller's transaction. */
export async function setUnprovenAside(deps: Deps, tx: Db<Tables>, page: readonly Unproven[]): Promise<void> {
  const known = await findWaiting(tx, page)
  const fresh = page.filter(record => !known.has(subjectOf(record)))
  if (fresh.length === 0) return
  const open = await lockOpen(tx)
  const isMany = page.length > MOST_ALONE || open.length >= MOST_ALONE
  const together = isMany ? fresh.filter(({ id }) => isToken(id)) : []
  for (const [reason, records] of Map.groupBy(together, ({ unconfirmed }) => unconfirmed)) {
    const group = open.findLast(
      ({ details }) =>
        details.reason === reason && Number(details.payments) + records.length <= MOST_TOGETHER,
    )
    await (group ? join(deps, tx, group, records) : setAsideTogether(deps, tx, records))
  }
  for (const record of fresh)
    if (!together.includes(record)) await setAside(deps, tx, record, new Error(reasonOf(record)))
}

const lockOpen = (tx: Db<Tables>) =>
  tx
    .selectFrom('ledger_incidents')
    .select(['id', 'record', 'details'])
    .where('kind', '=', 'unreadable-payment')
    .where('resolved_at', 'is', null)
    .orderBy('found_at')
    .forUpdate()
    .execute()

const reasonOf = ({ fault, unconfirmed }: Unproven): string =>
  unconfirmed ? fault : `Horizon contradicts itself: ${fault}`

/** What of a page is in an incident already: a page is read again until the next payment moves the observer. */
async function findWaiting(tx: Db<Tables>, page: readonly Unproven[]): Promise<ReadonlySet<string>> {
  if (page.length === 0) return new Set()
  const first = page.find(({ id }) => isToken(id))?.id ?? null
  const rows = await tx
    .selectFrom('ledger_incidents')
    .select(['subject', 'record'])
    .where('kind', '=', 'unreadable-payment')
    .where(({ or, eb }) =>
      or([
        eb('subject', 'in', page.map(subjectOf)),
        sql<boolean>`(details->>'until')::numeric >= ${first}::numeric`,
      ]),
    )
    .execute()
  return new Set(rows.flatMap(({ subject, record }) => [subject, ...gatheredIn(record).map(nameOf)]))
}

const nameOf = ({ transaction, id }: Gathered): string => `${transaction}:${id}`

/** The payments of an incident of several; none: it is of one. */
const gatheredIn = (record: Buffer | null): Gathered[] => kept(record).gathered ?? []

/** What an incident keeps: what cannot be read is nothing. */
function kept(record: Buffer | null): Partial<CheckedRecord> & { gathered?: Gathered[] } {
  try {
    return (JSON.parse(String(record)) as ReturnType<typeof kept> | null) ?? {}
  } catch {
    return {}
  }
}

const recordOf = (gathered: readonly Gathered[]): Buffer => Buffer.from(JSON.stringify({ gathered }))

async function setAsideTogether(deps: Deps, tx: Db<Tables>, records: readonly Unproven[]): Promise<void> {
  const [first, last] = [records[0], records.at(-1)]
  if (!first || !last) return
  deps.logger.error({ payments: records.length, first: first.id }, 'payments prove nothing and are set aside')
  await openIncident(tx, {
    kind: 'unreadable-payment',
    subject: `gathered:${subjectOf(first)}`,
    details: {
      ...detailsOf(first, reasonOf(first)),
      ...{ payments: records.length, until: last.id },
    },
    record: recordOf(records.map(gather(deps))),
    next_try_at: deps.clock.now(),
  })
}

/** Adds payments to those of an incident, before them: these were asked about. */
async function join(
  deps: Deps,
  tx: Db<Tables>,
  { id, record, details }: Pick<LedgerIncident, 'id' | 'record' | 'details'>,
  records: readonly Unproven[],
): Promise<void> {
  const ends = [details.until, records.at(-1)?.id].filter(isToken).map(BigInt)
  const until = String(ends.reduce((most, end) => (end > most ? end : most), 0n))
  const payments = Number(details.payments) + records.length
  await tx
    .updateTable('ledger_incidents')
    .set({
      details: JSON.stringify({ ...details, payments, until }),
      record: recordOf([...records.map(gather(deps)), ...gatheredIn(record)]),
      next_try_at: deps.clock.now(),
    })
    .where('id', '=', id)
    .execute()
}

const gather =
  ({ config }: Deps) =>
  (record: Unproven): Gathered => ({
    id: record.id,
    transaction: nameIn(record.transaction_hash),
    inner: innerHashIn(record, config.anchor.network.passphrase),
  })

function innerHashIn({ transaction }: Partial<CheckedRecord>, passphrase: string): string | null {
  try {
    return innerHashOf(transaction?.envelope_xdr ?? '', passphrase)
  } catch {
    return null
  }
}

/** A record that cannot be processed is set aside and tried again: it must never block the next one. */
export async function setAside(
  deps: Deps,
  tx: Db<Tables>,
  record: CheckedRecord,
  error: Error,
): Promise<void> {
  deps.logger.error({ err: error, payment: record.id }, 'a payment could not be processed and is set aside')
  await openIncident(tx, {
    kind: 'unreadable-payment',
    // After a reset of the network, other payments have the same ids.
    subject: subjectOf(record),
    details: detailsOf(record, error.message),
    record: Buffer.from(JSON.stringify(record)),
    next_try_at: deps.clock.now(),
  })
}

const subjectOf = ({ id, transaction_hash: hash }: CheckedRecord): string => `${nameIn(hash)}:${nameIn(id)}`

const detailsOf = ({ id, transaction_hash: hash, unconfirmed }: CheckedRecord, error: string) => ({
  ...{ payment: nameIn(id), transaction: nameIn(hash), error: storable(error).slice(0, 500) },
  ...(unconfirmed ? { reason: unconfirmed } : {}),
})

/** What an index holds of a name that Horizon gives, however long it is. */
const nameIn = (text: unknown): string => storable(String(text).slice(0, 100))

/** Whether the transaction is one of a payment that may still be received, by either hash of a fee bump. */
export async function isSetAside({ config }: Deps, tx: Db<Tables>, hash: string): Promise<boolean> {
  const { passphrase } = config.anchor.network
  return (await openIncidents(tx, 'unreadable-payment')).some(({ details, record }) => {
    if (details.transaction === hash) return true
    return (
      innerHashIn(kept(record), passphrase) === hash ||
      gatheredIn(record).some(({ transaction, inner }) => transaction === hash || inner === hash)
    )
  })
}

/** Asks again for payments that were set aside, those that wait longest first. */
export async function retrySetAside(deps: Deps, head: LedgerHead, position: Position): Promise<void> {
  const until = performance.now() + deps.retriesWithinMs
  const now = deps.clock.now()
  const due = (await openIncidents(deps.database.db, 'unreadable-payment'))
    .filter(({ next_try_at: at }) => at !== null && at <= now)
    .sort((one, other) => Number(one.next_try_at) - Number(other.next_try_at))
  let left = TRIED_AT_ONCE
  for (const incident of due) {
    if (left <= 0 || performance.now() >= until) return
    if (incident.record === null) continue
    left -= await retryIncident(deps, incident, left, { head, position, until })
  }
}

interface Place {
  head: LedgerHead
  position: Position
  /** By `performance.now()`. */
  until: number
}

/** How many payments of it were asked about. */
async function retryIncident(
  deps: Deps,
  { id: incident, record, attempts, details }: LedgerIncident,
  most: number,
  place: Place,
): Promise<number> {
  const gathered = gatheredIn(record)
  const isAlone = gathered.length === 0
  const next = isAlone ? [kept(record).id] : gathered.slice(0, most).map(({ id }) => id)
  const tried: unknown[] = []
  let failed = 0
  for (const payment of next) {
    if (performance.now() >= place.until) break
    tried.push(payment)
    await deps.refreshRates()
    try {
      const again = await within(place.until, askAgain(deps, payment, place))
      await deps.database.db.transaction().execute(async tx => {
        await receiveProven(deps, tx, again)
        if (isAlone || (await removeGathered(tx, incident, again.id)))
          await resolveIncident(tx, incident, 'payment-processed')
      })
      deps.wake.emit('ledgerPayments')
      deps.wake.emit('railOrders')
    } catch (error) {
      if (failedForNow(error)) throw error
      failed++
    }
  }
  if (failed > 0) await tryLater(deps, { id: incident, attempts, details }, tried, gathered.length)
  return tried.length
}

/** Whether nothing else is left in the incident. */
async function removeGathered(tx: Db<Tables>, incident: string, payment: string): Promise<boolean> {
  const left = (await lockGathered(tx, incident)).filter(({ id }) => id !== payment)
  await tx
    .updateTable('ledger_incidents')
    .set({ record: recordOf(left) })
    .where('id', '=', incident)
    .execute()
  return left.length === 0
}

async function lockGathered(tx: Db<Tables>, incident: string): Promise<Gathered[]> {
  const query = tx.selectFrom('ledger_incidents').select('record').where('id', '=', incident).forUpdate()
  return gatheredIn((await query.executeTakeFirst())?.record ?? null)
}

/** Those of several that were tried go to the end, and the pause grows once all were. */
async function tryLater(
  { database, clock }: Deps,
  { id, attempts, details }: Pick<LedgerIncident, 'id' | 'attempts' | 'details'>,
  tried: readonly unknown[],
  count: number,
): Promise<void> {
  const most = details.reason === 'second-source' ? UNCONFIRMED_RETRY_SECONDS : MAX_RETRY_SECONDS
  const rounds = count === 0 ? attempts : Math.floor((attempts * TRIED_AT_ONCE) / count)
  const pause = Math.min(most, 10 * 2 ** Math.min(rounds, 10))
  await database.db.transaction().execute(async tx => {
    const left = await lockGathered(tx, id)
    const again = left.filter(each => tried.includes(each.id))
    const record = recordOf([...left.filter(each => !again.includes(each)), ...again])
    await tx
      .updateTable('ledger_incidents')
      .set({
        ...(left.length > 0 ? { record } : {}),
        ...{ attempts: attempts + 1, next_try_at: new Date(clock.now().getTime() + pause * 1_000) },
      })
      .where('id', '=', id)
      .execute()
  })
}

/**
 * What Horizon says now of a payment that was set aside. The database alone is not believed: who can write it could name
 * payments that never were. Throws where Horizon does not show it.
 */
async function askAgain(deps: Deps, id: unknown, { head, position }: Place): Promise<CheckedRecord> {
  if (!isToken(id)) throw new Error('its id is not one of Horizon')
  const before = String(BigInt(id) - 1n)
  const horizon = await sourceWith(deps, ledgerOf(id), position)
  const given = await horizon.paymentsOf(deps.config.anchor.accounts.distribution, before)
  const elders = { ...eldersOf(deps, horizon), proves: true }
  const { records } = await checkPage(deps, given.slice(0, 1), before, { head, known: null, elders })
  const found = records.find(record => record.id === id)
  if (!found) throw new Error('Horizon does not show it')
  const ledger = await horizon.ledger(ledgerOf(id))
  if (!ledger || !isOfTime(found, ledger)) throw new Error(WRONG_TIME)
  return found
}

/** The full history, where there is one and Horizon has dropped the ledger. */
async function sourceWith(
  { routineHorizon, history }: Deps,
  ledger: number,
  position: Position,
): Promise<Pick<Horizon, 'paymentsOf' | 'ledger'>> {
  if (!history || (await routineHorizon.history()).elder <= ledger) return routineHorizon
  if (!(await isOfOurChain(history, position))) throw new Error('the full history is of another chain')
  return history
}

/** A Horizon with full history may be one of another chain. */
export const isOfOurChain = async (history: Deps['horizon'], { ledger }: Position): Promise<boolean> =>
  ledger === null || (await compareChain(history, ledger)) === 'same'

/** @throws {Error} where it does not prove itself, or cannot be processed */
export async function receiveProven(deps: Deps, tx: Db<Tables>, record: CheckedRecord): Promise<void> {
  if (isUnproven(record)) throw new Error(reasonOf(record))
  const payment = asIncoming(deps, record)
  if (!payment) return
  const isSettled = await isSettledByHand(tx, record)
  await receivePayment(deps, tx, payment, isSettled ? SETTLED : undefined)
}

/** Nothing follows from it by itself: a person may have sent it back, or paid what it was for. */
const SETTLED: Verdict = {
  ...{ outcome: 'held', transfer: null, why: 'a person settled it by hand' },
  cameBack: { reason: 'settled-by-hand' },
}

/** Whether a person closed the incident of a payment that is proven only now. */
async function isSettledByHand(tx: Db<Tables>, record: CheckedRecord): Promise<boolean> {
  const subject = subjectOf(record)
  const settled = await tx
    .selectFrom('ledger_incidents')
    .select(['subject', 'record'])
    .where('kind', '=', 'unreadable-payment')
    .where('resolved_by', 'is not', null)
    .where(({ or, eb }) => or([eb('subject', '=', subject), eb('subject', 'like', 'gathered:%')]))
    .execute()
  return settled.some(
    each => each.subject === subject || gatheredIn(each.record).map(nameOf).includes(subject),
  )
}
