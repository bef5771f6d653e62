import type { Db } from '@windlass/service/postgres/database.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { followHorizon, type Stream } from '@windlass/stellar/horizon-client.ts'
import { ledgerOf as sourceOf } from '@windlass/stellar/network.ts'
import { readScalar, scalar, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { PAGE, type LedgerHead } from '@windlass/stellar/horizon.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { checkPage, type CheckedRecord } from './check-page.ts'
import { checkChain, reconcileGaps, reportOtherNetwork } from './chain.ts'
import { readPosition, type Position } from './position.ts'
import { hasForeignChannels, planChannels, requireOwnChannels } from './channels.ts'
import { existsOpenIncident, openIncidents } from './incidents.ts'
import { bookNetworkFees } from './network-fees.ts'
import { recordUnknown } from './record-unknown.ts'
import { eldersOf } from './second-source.ts'
import {
  isOfOurChain,
  isUnproven,
  receiveProven,
  retrySetAside,
  setAside,
  setUnprovenAside,
} from './set-aside.ts'
import { existsUnreported, reportUnrecorded } from './unrecorded.ts'
import { restoredAt } from './restored.ts'
import { asIncoming, countedByCall } from './incoming-payment.ts'
import { countDust, dustFinder } from './dust.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import { newestLedger } from './newest-ledger.ts'

/** After a longer pause the whole chain is checked: the network may have been reset, Horizon's history cut. */
const LONG_PAUSE_SECONDS = 600

/**
 * Reads the payments of the distribution account from the stored cursor to the end. A page's effects and its new
 * cursor are one transaction, so that a crash repeats nothing and skips nothing.
 */
export async function observePayments(deps: Deps): Promise<void> {
  try {
    await readPayments(deps)
  } catch (error) {
    unproven.add(deps)
    await reportOtherNetwork(deps, error)
    throw error
  }
}

async function readPayments(deps: Deps): Promise<void> {
  const { caughtUpAt, ...known } = await readPosition(deps)
  const lag = secondsSince(deps, caughtUpAt)
  const head = await newestLedger(deps, deps.routineHorizon, known.ledger)
  const thorough = lag === null || lag > LONG_PAUSE_SECONDS || !checked.has(deps)
  const proven = await proveChain(deps, known, head, thorough)
  if (proven === null) return
  let position = proven
  checked.add(deps)
  // Before payments to the account are judged: some may have been refunded.
  const { db } = deps.database
  if ((thorough && (await restoredAt(db))) || (await hasForeignChannels(db))) await readUnknown(deps)
  // What the network's own Horizon may have dropped is read from the full history first.
  if ((thorough || proven.isCut) && deps.history && (await isOfOurChain(deps.history, position)))
    position = await readToEnd(deps, deps.history, position, { head, isWhole: false })
  await readToEnd(deps, deps.routineHorizon, position, { head, isWhole: true })
  await bookNetworkFees(deps)
  if (!(await readScalar(db, needsAnotherLook))) return
  await retrySetAside(deps, head, position)
  await reportUnrecorded(deps)
  await reconcileGaps(deps)
}

const needsAnotherLook = scalar(
  sql<boolean>`
    select (${existsOpenIncident('unreadable-payment', 'history-gap')}) or (${existsUnreported})`,
  needed => needed,
)

/** Refunds that a replaced server paid through channels are known for certain once these are closed. */
async function readUnknown(deps: Deps): Promise<void> {
  await recordUnknown(deps, 'to-read')
  if (!(await hasForeignChannels(deps.database.db))) return
  await planChannels(deps, 0)
  // What is missing must be named before an operator can let the closing continue.
  if (!(await hasHistoryGap(deps))) await requireOwnChannels(deps.database.db)
}

/**
 * Whether the ledger may be paid on: since the last connection Horizon showed the ledger that was read last. Reads nothing
 * else.
 */
export async function isChainProven(deps: Deps): Promise<boolean> {
  const known = await readPosition(deps)
  if (known.isDoubted) return false
  if (known.ledger === null || (checked.has(deps) && !unproven.has(deps))) return true
  try {
    const head = await newestLedger(deps, deps.horizon, known.ledger)
    const position = await checkChain(deps, known, head, {
      thorough: false,
      prove: true,
      reads: false,
    })
    return position?.proven ?? false
  } catch (error) {
    await reportOtherNetwork(deps, error)
    throw error
  }
}

/** Whose chain was checked since the process started. */
const checked = new WeakSet<Deps>()
/** Whose chain may be another one since it was last proven: a stream was connected, or a read failed. */
const unproven = new WeakSet<Deps>()

async function proveChain(
  deps: Deps,
  known: Position,
  head: LedgerHead,
  thorough: boolean,
): Promise<Position | null> {
  const prove = unproven.delete(deps)
  const position = await checkChain(deps, known, head, { thorough, prove, reads: true })
  if (!position?.proven) unproven.add(deps)
  return position
}

/** @param isWhole whether it has all payments up to that head, so that everything is read then */
async function readToEnd(
  deps: Deps,
  horizon: Pick<Deps['horizon'], 'paymentsOf'>,
  position: Position,
  { head, isWhole }: { head: LedgerHead; isWhole: boolean },
): Promise<Position> {
  const account = deps.config.anchor.accounts.distribution
  let { cursor } = position
  for (;;) {
    const before = cursor
    const given = await horizon.paymentsOf(account, cursor)
    const elders = eldersOf(deps, horizon)
    const page = await checkPage(deps, given, cursor, { head, known: position.ledger, elders })
    const { records, isWhollyProven } = page
    cursor = page.cursor
    const isEnd = cursor === before || records.length < PAGE
    const read = isEnd && isWhole && isWhollyProven ? head : null
    if (records.length > 0) {
      deps.faults.at('ledger:read')
      await deps.refreshRates()
    }
    const isNoted = await deps.database.db.transaction().execute(async tx => {
      if (!(await isStillAt(tx, account, before))) return false
      if (records.length > 0) await receiveRecords(deps, tx, records)
      await storePosition(deps, tx, { ...position, cursor }, read)
      return true
    })
    if (!isNoted) return { ...position, cursor: before }
    if (records.length > 0) {
      deps.faults.at('ledger:noted')
      deps.wake.emit('sepCalls')
      deps.wake.emit('ledgerPayments')
      deps.wake.emit('railOrders')
    }
    if (isEnd) return { ...position, cursor }
  }
}

/** Another server of the anchor, as there is one during an upgrade, may have noted the page meanwhile; a person may have it read again. */
async function isStillAt(tx: Db<Tables>, account: string, cursor: string): Promise<boolean> {
  const query = tx.selectFrom('observed').select('cursor').where('account', '=', account).forUpdate()
  const stored = await query.executeTakeFirst()
  return stored === undefined || stored.cursor === cursor
}

async function receiveRecords(deps: Deps, tx: Db<Tables>, records: readonly CheckedRecord[]): Promise<void> {
  const { dust, others } = await withoutDust(
    deps,
    tx,
    records.filter(record => !isUnproven(record)),
  )
  for (const record of others) await receiveRecord(deps, tx, record)
  await setUnprovenAside(deps, tx, records.filter(isUnproven))
  const payments = dust.map(({ payment }) => payment)
  const failed = await trySaved(tx, () => countDust(deps, tx, payments))
  if (failed !== null) for (const { record } of dust) await receiveRecord(deps, tx, record)
}

/** Dust is counted by page: what a stranger pays for with a fee leaves no row, and no payment behind it waits. */
async function withoutDust(deps: Deps, tx: Db<Tables>, records: readonly CheckedRecord[]) {
  const isDust = await dustFinder(deps, tx)
  const dust: { record: CheckedRecord; payment: IncomingPayment }[] = []
  const others: CheckedRecord[] = []
  for (const record of records) {
    const byCall = record.type === 'invoke_host_function'
    const payments = readable(deps, record)
    let isSmall = payments.length > 0
    for (const payment of payments) isSmall &&= await isDust(payment, byCall)
    if (isSmall) dust.push(...payments.map(payment => ({ record, payment })))
    else others.push(record)
  }
  return { dust, others }
}

/** None also where it cannot be read: receiving the record says why. What a call brings is looked at whole. */
function readable(deps: Deps, record: CheckedRecord): IncomingPayment[] {
  try {
    if (record.type === 'invoke_host_function') return countedByCall(deps, record)
    const payment = asIncoming(deps, record)
    return payment ? [payment] : []
  } catch {
    return []
  }
}

/** What is not proven to be the chain that was read before leaves the recorded ledger, which can prove it later. */
async function storePosition(
  deps: Deps,
  tx: Db<Tables>,
  { cursor, proven }: Position,
  head: LedgerHead | null,
): Promise<void> {
  const account = deps.config.anchor.accounts.distribution
  const ledger = proven &&
    head && { ledger_sequence: head.sequence, ledger_hash: head.hash, ledger_closed_at: head.closedAt }
  const read = head && { caught_up_at: deps.clock.now(), ...ledger }
  const nothing = { caught_up_at: null, ledger_sequence: null, ledger_hash: null, ledger_closed_at: null }
  await tx
    .insertInto('observed')
    .values({ account, cursor, ...nothing, ...read })
    .onConflict(conflict => conflict.column('account').doUpdateSet({ cursor, ...read }))
    .execute()
}

async function receiveRecord(deps: Deps, tx: Db<Tables>, record: CheckedRecord): Promise<void> {
  const error = await trySaved(tx, () => receiveProven(deps, tx, record))
  if (error !== null) await setAside(deps, tx, record, error)
}

/** Undoes what fails, and nothing else of the transaction. @returns why it failed; null: it did not. */
async function trySaved(tx: Db<Tables>, act: () => Promise<void>): Promise<Error | null> {
  await sql`savepoint record`.execute(tx)
  try {
    await act()
    await sql`release savepoint record`.execute(tx)
    return null
  } catch (error) {
    if (failedForNow(error)) throw error
    await sql`rollback to savepoint record`.execute(tx)
    return error as Error
  }
}

/** Seconds since everything was last read; null before the first time. */
export const lagOfObserver = (deps: Pick<Deps, 'config' | 'clock'>): Scalar<number | null> =>
  scalar(
    sql<string | null>`
      select caught_up_at from observed where account = ${deps.config.anchor.accounts.distribution}`,
    at => secondsSince(deps, at === null ? null : new Date(at)),
  )

export const observerLag = (deps: Deps): Promise<number | null> =>
  readScalar(deps.database.db, lagOfObserver(deps))

const secondsSince = ({ clock }: Pick<Deps, 'clock'>, at: Date | null): number | null =>
  at && Math.max(0, (clock.now().getTime() - at.getTime()) / 1000)

/** Whether payments may have been missed and nobody has resolved it. */
export async function hasHistoryGap({ database }: Deps): Promise<boolean> {
  return (await openIncidents(database.db, 'history-gap')).length > 0
}

/** Calls `wake` whenever there may be something to read. Each connection has the chain proven before the next read. */
export function listenForPayments(deps: Deps, wake: () => void): Stream {
  const { anchor } = deps.config
  const path = `/accounts/${anchor.accounts.distribution}/payments?cursor=now`
  const onConnect = (): void => {
    unproven.add(deps)
    wake()
  }
  return followHorizon(sourceOf(anchor), path, { onConnect, onEvent: wake })
}
