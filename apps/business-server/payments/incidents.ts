import type { WebhookEvent } from '@windlass/contracts/anchor/developer-api.ts'
import { assetField } from '@windlass/contracts/internal/served-assets.ts'
import { add, amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { rowsOf, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { LedgerIncident, Tables } from '../tables.ts'
import { recordGap } from '../money/journal/ledger-entries.ts'
import { bindFact, type FactKind, forgetFact, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { sorted } from '../row-text.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import type { CameBack } from './refunds.ts'
import { describeIncident, detailsForm, endings, type EndedAs } from './incident-texts.ts'

type NewIncident = Pick<LedgerIncident, 'kind' | 'subject' | 'details'> &
  Partial<Pick<LedgerIncident, 'record' | 'next_try_at' | 'resolved_at' | 'ended_as'>>

/** What an operator found about a payment that nothing here can prove. */
export type Outcome = 'applied' | 'not-applied'

/** Records an incident once for its kind and subject, and publishes it. False: it is recorded already. */
export async function openIncident(tx: Db<Tables>, incident: NewIncident): Promise<boolean> {
  const row = await tx
    .insertInto('ledger_incidents')
    .values({
      record: null,
      next_try_at: null,
      resolved_at: null,
      ended_as: null,
      ...incident,
      details: JSON.stringify(incident.details),
      resolved_by: null,
      resolution: null,
    })
    .onConflict(conflict => conflict.columns(['kind', 'subject']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) return false
  await publishEvent(tx, `ledger.${incident.kind.replaceAll('-', '_')}` as WebhookEvent, incidentForm(row))
  return true
}

export interface RailReceipt {
  rail: string
  paymentId: string
  reference: string
  amount: string
  currency: string
  /** Whether an operator marked its transaction as paid before: it may be that payment, under another id. */
  marked?: boolean
}

export type HeldPayment = Omit<IncomingPayment, 'units' | 'served'>

/** What is kept of a payment until an operator decides about it, or of several accounts that ended, of which one decision is made. */
export type Held = { ledger: HeldPayment } | { rail: RailReceipt } | { merges: HeldPayment[] }

/**
 * Holds a payment instead of refunding it: its transaction may be lost by a restore, or it may answer our own payment,
 * and a refund would come back again.
 */
export async function holdLedgerReceipt(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { units: _, served, ...ledger }: IncomingPayment,
  cameBack?: CameBack,
): Promise<void> {
  const { hash, id, amount, memo, asset, sender, closedAt } = ledger
  if (ledger.by === 'merge' && (await joinMerges(deps, tx, ledger, served?.code ?? 'XLM'))) return
  const subject = `ledger:${hash}:${id}`
  const isOpened = await openIncident(tx, {
    kind: 'held-receipt',
    subject,
    details: {
      ...(cameBack
        ? { reason: cameBack.reason, answers: cameBack.transaction }
        : { reason: ledger.by === 'merge' ? 'merged' : 'restored' }),
      ...{ transaction: hash, amount, unit: served?.code ?? 'XLM', memo },
      ...assetField(asset),
      ...{ sender, closedAt },
    },
    record: asRecord({ ledger }),
  })
  if (isOpened) await bindFact(deps, tx, heldReceipts, subject)
}

/** So many accounts that ended are decided about one by one. */
const MERGES_ALONE = 10
/** One decision is made about so many at most. */
const MERGES_TOGETHER = 200

/** Adds an account that ended to others, where many wait: each costs its owner less than a person's look (docs/adr/0212). */
async function joinMerges(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  ledger: HeldPayment,
  unit: string,
): Promise<boolean> {
  const open = await tx
    .selectFrom('ledger_incidents')
    .select(['id', 'subject', 'record', 'details'])
    .where('kind', '=', 'held-receipt')
    .where('resolved_at', 'is', null)
    .where(sql<boolean>`details->>'reason' = 'merged'`)
    .orderBy('found_at')
    .forUpdate()
    // Who decides about one locks its transfers after it, as this payment's is locked before: neither waits for the other.
    .skipLocked()
    .execute()
  const last = open.findLast(({ details }) => Number(details.payments) < MERGES_TOGETHER)
  if (!last && open.length < MERGES_ALONE) return false
  // What someone else wrote is not made ours by adding to it.
  const waiting = last && (await isFactBound(deps, tx, heldReceipts, last.subject)) ? last : undefined
  const { merges: before = [] } = JSON.parse(String(waiting?.record ?? '{}')) as { merges?: HeldPayment[] }
  const merges = [...before, ledger]
  const sum = merges.reduce<Amount>((total, { amount }) => add(total, parseAmount(amount)), amountOf(0n))
  const details = {
    ...{ reason: 'merged', payments: merges.length, amount: formatAmount(sum), unit },
    ...{ transaction: ledger.hash, sender: ledger.sender, closedAt: ledger.closedAt },
  }
  const record = asRecord({ merges })
  const subject = waiting?.subject ?? `merges:${ledger.hash}:${ledger.id}`
  if (waiting)
    await tx
      .updateTable('ledger_incidents')
      .set({ details: JSON.stringify(details), record })
      .where('id', '=', waiting.id)
      .execute()
  else await openIncident(tx, { kind: 'held-receipt', subject, details, record })
  await bindFact(deps, tx, heldReceipts, subject)
  return true
}

/** The same for money over a rail. */
export async function holdRailReceipt(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  rail: RailReceipt,
): Promise<void> {
  const { paymentId, reference, amount, currency, marked } = rail
  const subject = `rail:${rail.rail}:${paymentId}`
  const isOpened = await openIncident(tx, {
    kind: 'held-receipt',
    subject,
    details: {
      reason: marked ? 'marked' : 'no-reference',
      ...{ rail: rail.rail, payment: paymentId, reference, amount, currency },
    },
    record: asRecord({ rail }),
  })
  if (isOpened) await bindFact(deps, tx, heldReceipts, subject)
}

/** What came and waits for people, by its incident's subject, while that is open: what they send back is what came. */
export const heldReceipts: FactKind = {
  kind: 'held-receipt',
  rowOf: async (_, tx, subject) => {
    const row = await tx
      .selectFrom('ledger_incidents')
      .select('record')
      .where('kind', '=', 'held-receipt')
      .where('subject', '=', subject)
      .executeTakeFirst()
    return row ? [row.record?.toString() ?? null] : null
  },
}

const asRecord = (held: Held): Buffer => Buffer.from(JSON.stringify(held))

/** How often the network was reset. */
export async function countResets(db: Db<Tables>): Promise<number> {
  const { resets } = await db
    .selectFrom('ledger_incidents')
    .select(({ fn }) => fn.countAll<string>().as('resets'))
    .where('kind', '=', 'network-reset')
    .executeTakeFirstOrThrow()
  return Number(resets)
}

/** Oldest first. */
export function openIncidents(
  db: Db<Tables>,
  ...kinds: readonly LedgerIncident['kind'][]
): Promise<LedgerIncident[]> {
  return db
    .selectFrom('ledger_incidents')
    .selectAll()
    .where('kind', 'in', kinds)
    .where('resolved_at', 'is', null)
    .orderBy('found_at')
    .execute()
}

/** As {@link openIncidents}. */
export const readsOpenIncidents = (
  ...kinds: readonly LedgerIncident['kind'][]
): Scalar<Pick<LedgerIncident, 'kind' | 'id' | 'details'>[]> =>
  rowsOf(sql`
    select kind, id, details from ledger_incidents
    where resolved_at is null and kind in (${sql.join(kinds)}) order by found_at`)

export const existsOpenIncident = (...kinds: readonly LedgerIncident['kind'][]) =>
  sql<boolean>`exists (select from ledger_incidents where resolved_at is null and kind in (${sql.join(kinds)}))`

/** For the due work: when the first payment that was set aside is tried again. */
export const setAsideDueAt = sql<Date | null>`
  select min(next_try_at) from ledger_incidents where kind = 'unreadable-payment' and resolved_at is null`

/** A page of incidents: newest first, the open ones before the resolved. */
export function listIncidents(db: Db<Tables>, page: PageQuery): Promise<LedgerIncident[]> {
  const start = pageStart(page)
  const isResolved = sql<boolean>`(resolved_at is not null)`
  let query = db.selectFrom('ledger_incidents').selectAll()
  if (start) {
    const [state, id = ''] = start.id.split('.')
    const older = sql<boolean>`(found_at, id::text) < (${start.createdAt}, ${id})`
    const was = state === 'resolved'
    query = query.where(sql<boolean>`${isResolved} > ${was} or (${isResolved} = ${was} and ${older})`)
  }
  return query
    .orderBy(isResolved)
    .orderBy('found_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(page))
    .execute()
}

/** Where the next page of {@link listIncidents} starts, for `linkNext`. */
export const incidentPlaces = (rows: readonly LedgerIncident[]) =>
  rows.map(({ id, found_at, resolved_at }) => ({
    id: `${resolved_at ? 'resolved' : 'open'}.${id}`,
    createdAt: found_at,
  }))

/** Units of the first asset, and of further ones. */
export interface GapDetails extends Record<string, unknown> {
  difference?: unknown
  further?: { asset: string; difference: string }[]
}

/** What is missing of the ledger's history, while that is open. */
export const gapFacts: FactKind = {
  kind: 'history-gap',
  rowOf: async (_, tx, id) => {
    const row = await tx.selectFrom('ledger_incidents').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? [row.kind, row.subject, sorted(row.details)] : null
  },
}

/** Writes what is missing where the row says what was read of it. Whether it did. */
export async function writeGap(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { id, details }: Pick<LedgerIncident, 'id' | 'details'>,
  missing: GapDetails,
): Promise<boolean> {
  const written = await tx
    .updateTable('ledger_incidents')
    .set({ details: JSON.stringify(missing) })
    .where('id', '=', id)
    .where(sql<boolean>`details = ${JSON.stringify(details)}::jsonb`)
    .executeTakeFirst()
  if (written.numUpdatedRows === 0n) return false
  await bindFact(deps, tx, gapFacts, id)
  return true
}

/**
 * Closes an open incident, in the caller's transaction.
 *
 * @param end an API key's id or `operator:<id>` with what the person wrote; a code: the server by itself
 * @throws {Problem} `ledger-incident-not-found`
 */
export async function resolveIncident(
  tx: Db<Tables>,
  id: string,
  end: { by: string; resolution: string } | EndedAs,
): Promise<LedgerIncident> {
  const ended =
    typeof end === 'string' ? { ended_as: end } : { resolved_by: end.by, resolution: end.resolution }
  const row = await tx
    .updateTable('ledger_incidents')
    .set({ resolved_at: sql<Date>`clock_timestamp()`, ...ended, next_try_at: null })
    .where(sql`id::text`, '=', id)
    .where('resolved_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new Problem('ledger-incident-not-found', 'There is no open ledger incident with this id.')
  await forgetFact(tx, gapFacts, row.id)
  const { difference, further = [] } = row.details as GapDetails
  if (row.kind === 'history-gap' && row.resolved_by !== null && typeof difference === 'string')
    await recordGap(tx, row.id, [{ asset: null, difference }, ...further])
  return row
}

/** Corrects what an open incident says. */
export async function amendIncident(
  tx: Db<Tables>,
  kind: LedgerIncident['kind'],
  subject: string,
  changes: Record<string, unknown>,
): Promise<void> {
  await tx
    .updateTable('ledger_incidents')
    .set({ details: sql`details || ${JSON.stringify(changes)}::jsonb` })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', 'is', null)
    .execute()
}

/** Closes the open incident of a kind about a subject, if there is one. */
export async function endIncident(
  tx: Db<Tables>,
  kind: LedgerIncident['kind'],
  subject: string,
  endedAs: EndedAs,
): Promise<void> {
  await tx
    .updateTable('ledger_incidents')
    .set({ resolved_at: sql<Date>`clock_timestamp()`, ended_as: endedAs })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', 'is', null)
    .execute()
}

/** Ends those of the chain that was reset: nobody can look them up, and nothing follows from them. What is held is refunded on the new chain. */
const ENDED_BY_RESET = [
  'unreadable-payment',
  'unproven-payment',
  'unrecorded-payment',
  'history-gap',
] as const

/** The network was reset: what could not be processed or proven is gone, and its ids are given again. */
export async function endByReset(tx: Db<Tables>): Promise<void> {
  await tx
    .updateTable('ledger_incidents')
    .set({
      resolved_at: sql<Date>`clock_timestamp()`,
      ended_as: 'network-reset',
      next_try_at: null,
    })
    .where('kind', 'in', ENDED_BY_RESET)
    .where('resolved_at', 'is', null)
    .execute()
}

export const incidentForm = (row: LedgerIncident) => ({
  id: row.id,
  kind: row.kind,
  message: describeIncident(row),
  details: detailsForm(row),
  foundAt: row.found_at.toISOString(),
  resolvedAt: row.resolved_at?.toISOString() ?? null,
  resolution: row.resolution ?? (row.ended_as && endings[row.ended_as]),
  endedAs: row.ended_as,
})
