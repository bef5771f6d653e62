import type { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelInquiry, TravelProvider } from '@windlass/contracts/anchor/travel-messages.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { IsHeld } from '../../people/retention/rules.ts'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { InquiryState, Tables, TravelInquiryRow } from '../../tables.ts'

const contextOf = (id: string) => `travel-inquiry:${id}`

export const sealedInquiries = sealedColumn({
  ...{ table: 'travel_inquiries', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** What of an inquiry is personal, or says where its messages go. */
interface Details {
  /** Null: none came yet. */
  document: Ivms101 | null
  amount: string | null
  asset: string | null
  /** Where an answer to them goes, or the confirmation of a payment. */
  callback: string | null
  /** The account that a deposit pays: `G…`, `M…` or `G…:memo`. */
  paysTo: string | null
  /** What the provider says is paid. */
  address: string | null
  reason: string | null
}

export const openDetails = (
  sealer: Sealer,
  { id, sealed }: Pick<TravelInquiryRow, 'id' | 'sealed'>,
): Details => JSON.parse(sealer.open(sealed, contextOf(id))) as Details

const sealDetails = (sealer: Sealer, id: string, details: Details): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(id))

type New = Pick<TravelInquiryRow, 'direction' | 'state' | 'transfer_id' | 'tells'> & {
  request?: string
  client?: string
  provider: Pick<TravelProvider, 'id' | 'name'>
  details: Details
}

/** @returns its id; null: there is one with this number. */
export async function addInquiry(
  { sealer, clock }: Pick<Deps, 'sealer' | 'clock'>,
  tx: Db<Tables>,
  { provider, details, request, ...columns }: New,
): Promise<string | null> {
  const [id, now] = [randomUUID(), clock.now()]
  const added = await tx
    .insertInto('travel_inquiries')
    .values({
      ...{ id, ...columns, protocol: 'trp', request: request ?? id },
      ...{ provider_id: provider.id, provider_name: provider.name, sealed: sealDetails(sealer, id, details) },
      ...{ txid: null, by: null, failure: null, created_at: now, answered_at: null },
      next_try_at: columns.tells === null ? null : now,
    })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 0n ? null : id
}

export async function lockInquiry(tx: Db<Tables>, id: string): Promise<TravelInquiryRow | null> {
  if (!isUuid(id)) return null
  const query = tx.selectFrom('travel_inquiries').selectAll().where('id', '=', id)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export async function findByRequest(
  db: Db<Tables>,
  providerId: string,
  request: string,
): Promise<TravelInquiryRow | null> {
  const query = db.selectFrom('travel_inquiries').selectAll().where('direction', '=', 'received')
  return (
    (await query.where('provider_id', '=', providerId).where('request', '=', request).executeTakeFirst()) ??
    null
  )
}

/** What was asked about a transaction here. */
export function sentOf(db: Db<Tables>, transferId: string): Promise<TravelInquiryRow[]> {
  const query = db.selectFrom('travel_inquiries').selectAll().where('transfer_id', '=', transferId)
  return query.where('direction', '=', 'sent').execute()
}

/** An approval of what came counts once its provider took it: anyone can send an inquiry in a provider's name. */
const passes = sql<boolean>`(state in ('released', 'confirmed') or (state = 'approved'
  and (direction = 'sent' or (tells is null and failure is null))))`

/** Whether money may move by what was exchanged with this provider; `asked`: it waits for that, with a row that a person can release. */
export async function standingOf(
  db: Db<Tables>,
  transferId: string,
  { direction, providerId }: { direction: TravelInquiryRow['direction']; providerId: string },
): Promise<'passed' | 'asked' | 'none'> {
  const rows = await db
    .selectFrom('travel_inquiries')
    .select(passes.as('passes'))
    .where('transfer_id', '=', transferId)
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'released'),
        and([
          eb('provider_id', '=', providerId),
          eb('direction', '=', direction),
          or([eb('direction', '=', 'sent'), eb('state', '=', 'expected'), passes]),
        ]),
      ]),
    )
    .orderBy('passes', 'desc')
    .limit(1)
    .execute()
  const [row] = rows
  if (!row) return 'none'
  return row.passes ? 'passed' : 'asked'
}

/**
 * Those that came in a provider's name about a transfer, or about none, and wait for a person or for the provider to take the
 * answer: of one network, and of all those that are approved, or not.
 */
export async function countOpen(
  db: Db<Tables>,
  of: { providerId: string; transferId: string | null; client: string; isApproved: boolean },
): Promise<{ client: number; all: number }> {
  const { providerId, transferId, client, isApproved } = of
  const row = await db
    .selectFrom('travel_inquiries')
    .select([
      sql<string>`count(*) filter (where client = ${client})`.as('client'),
      sql<string>`count(*) filter (where (state = 'approved') = ${isApproved})`.as('all'),
    ])
    .where('provider_id', '=', providerId)
    .where('transfer_id', 'is not distinct from', transferId)
    .where('direction', '=', 'received')
    .where(({ or, eb }) => or([eb('state', '=', 'waiting'), eb('tells', '=', 'resolution')]))
    .executeTakeFirstOrThrow()
  return { client: Number(row.client), all: Number(row.all) }
}

/** The inquiry came that a payout waited for. */
export async function removeExpected(
  tx: Db<Tables>,
  { provider_id, transfer_id }: Pick<TravelInquiryRow, 'provider_id' | 'transfer_id'>,
): Promise<void> {
  await tx
    .deleteFrom('travel_inquiries')
    .where('transfer_id', '=', transfer_id)
    .where('provider_id', '=', provider_id)
    .where('state', '=', 'expected')
    .execute()
}

interface Change extends Partial<
  Pick<TravelInquiryRow, 'state' | 'txid' | 'by' | 'tells' | 'next_try_at' | 'answered_at' | 'failure'>
> {
  details?: Partial<Details>
}

/** Changes an inquiry that the caller locked. What it tells now is sent at once. */
export async function changeInquiry(
  { sealer, clock }: Pick<Deps, 'sealer' | 'clock'>,
  tx: Db<Tables>,
  row: TravelInquiryRow,
  { details, ...columns }: Change,
): Promise<void> {
  const known = { ...openDetails(sealer, row), ...details }
  const { tells } = columns
  const due =
    tells === undefined ? {} : { next_try_at: tells === null ? null : clock.now(), tries: 0, failure: null }
  // Who sent it is kept while it is counted.
  const counted = tells === null ? { client: null } : {}
  await tx
    .updateTable('travel_inquiries')
    .set({ sealed: sealDetails(sealer, row.id, known), ...due, ...counted, ...columns })
    .where('id', '=', row.id)
    .execute()
}

export function inquiryForm(sealer: Sealer, row: TravelInquiryRow): TravelInquiry {
  const { document, amount, asset, reason } = openDetails(sealer, row)
  return {
    ...{ id: row.id, direction: row.direction, protocol: row.protocol, state: row.state },
    ...{ transactionId: row.transfer_id, provider: { id: row.provider_id, name: row.provider_name } },
    ...{ amount, asset, document, reason, by: row.by, txid: row.txid, failure: row.failure },
    ...{ createdAt: row.created_at.toISOString(), answeredAt: row.answered_at?.toISOString() ?? null },
  }
}

/** Newest first. */
export async function listInquiries(
  db: Db<Tables>,
  filter: PageQuery & { state?: InquiryState },
): Promise<TravelInquiryRow[]> {
  let query = db.selectFrom('travel_inquiries').selectAll()
  if (filter.state) query = query.where('state', '=', filter.state)
  const start = pageStart(filter)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

const REMOVED_AT_ONCE = 1_000

/** Removes those that ended before, except while someone looks into their transaction. */
export async function removeInquiriesBefore(tx: Db<Tables>, before: Date, isHeld: IsHeld): Promise<void> {
  await sql`
    delete from travel_inquiries where id in (
      select i.id from travel_inquiries i
      where i.created_at < ${before} and i.tells is null and not ${isHeld(sql`i.transfer_id`)}
      order by i.created_at limit ${REMOVED_AT_ONCE})`.execute(tx)
}
