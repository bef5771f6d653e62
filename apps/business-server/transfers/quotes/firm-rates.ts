import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import { sql, type Insertable, type Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import { plain, sorted } from '../../row-text.ts'
import type { FirmRateTable, Tables, TransferTerms } from '../../tables.ts'
import { randomUUID } from 'node:crypto'

/** What open quotes hold together. */
export interface HeldRates {
  count: number
  amount: Amount
}

/** Who holds them, as `firm_rate_holders` says in the database. */
const holderOf = {
  person: (person: string) => `person:${person}`,
  customer: ({ account, memo }: Owner) => `customer:${memo === null ? account : `${account} ${memo}`}`,
  client: (domain: string) => `client:${domain}`,
}

interface Owner {
  account: string
  memo: string | null
}

/**
 * What unused quotes reserve of an asset, of a customer and of the wallet application behind a domain; `quotes`: how many the
 * customer has of all assets. The caller has asked for {@link heldRates}, which serializes.
 */
export async function openReservations(
  tx: Db<Tables>,
  asset: AssetKey,
  { clientDomain, ...owner }: Owner & { clientDomain: string | null },
): Promise<{ customer: HeldRates; client: HeldRates; quotes: number }> {
  const customer = holderOf.customer(owner)
  const client = clientDomain === null ? null : holderOf.client(clientDomain)
  const rows = await totalsOf(tx, client === null ? [customer] : [customer, client])
  const quotes = rows
    .filter(({ holder }) => holder === customer)
    .reduce((sum, row) => sum + Number(row.quotes), 0)
  return { customer: heldBy(rows, customer, asset), client: heldBy(rows, client, asset), quotes }
}

/**
 * What quotes that have not expired hold of an asset, also those of a transfer, which may never be paid: of a person, of all who
 * are not verified, and of everybody without a reservation. Serializes the callers.
 *
 * @param person null: nobody asks how much one holds
 */
export async function heldRates(
  tx: Db<Tables>,
  asset: AssetKey,
  { person, isVerified }: { person: string | null; isVerified: boolean },
): Promise<Record<'person' | 'unverified' | 'unreserved', HeldRates>> {
  await sql`select pg_advisory_xact_lock(727003)`.execute(tx)
  const own = person === null ? null : holderOf.person(person)
  const rows = await totalsOf(tx, [
    ...(own === null ? [] : [own]),
    ...(isVerified ? [] : ['unverified']),
    'unreserved',
  ])
  return {
    person: heldBy(rows, own, asset),
    unverified: heldBy(rows, 'unverified', asset),
    unreserved: heldBy(rows, 'unreserved', asset),
  }
}

interface Total {
  holder: string
  asset: string
  quotes: string
  amount: string
}

/** By asset: as many rows as there are moments at which quotes expire, however many quotes are open. */
const totalsOf = (tx: Db<Tables>, holders: readonly string[]): Promise<Total[]> =>
  tx
    .selectFrom('firm_rate_totals')
    .select(['holder', 'asset', sql<string>`sum(quotes)`.as('quotes'), sql<string>`sum(amount)`.as('amount')])
    .where('holder', 'in', holders)
    .where('expires_at', '>', sql<Date>`now()`)
    .groupBy(['holder', 'asset'])
    .execute()

function heldBy(rows: readonly Total[], holder: string | null, asset: AssetKey): HeldRates {
  const found = rows.find(row => row.holder === holder && row.asset === (asset ?? ''))
  return { count: Number(found?.quotes ?? 0), amount: parseAmount(found?.amount ?? '0') }
}

/** Firm rates, newest first. */
export function listQuotes(db: Db<Tables>, filter: PageQuery) {
  const start = pageStart(filter)
  let query = db.selectFrom('firm_rates').selectAll()
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

/** A firm rate as developers see it. */
export function quoteForm(row: Selectable<FirmRateTable>) {
  const plain = (value: string) => formatAmount(parseAmount(value))
  return {
    id: row.id,
    sellAsset: row.sell_asset,
    buyAsset: row.buy_asset,
    amount: plain(row.amount),
    fee: plain(row.fee),
    railAmount: plain(row.fiat_amount),
    currency: row.currency,
    transactionId: row.transfer_id,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  }
}

/** Deletes firm rates that expired 30 days ago and that no transfer used, and totals that count no more. */
export async function pruneFirmRates(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('firm_rate_totals')
    .where('expires_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute()
  await db
    .deleteFrom('firm_rates')
    .where('transfer_id', 'is', null)
    .where('expires_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
}

/** Assigns a firm rate to a transfer, unless it belongs to another. */
export async function assignQuote(db: Db<Tables>, id: string, transferId: string): Promise<void> {
  await db
    .updateTable('firm_rates')
    .set({ transfer_id: transferId })
    .where('id', '=', id)
    .where('transfer_id', 'is', null)
    .execute()
}

/** Whether a firm rate is still valid for this transfer: not expired, and not used by another. */
export async function isQuoteValid(db: Db<Tables>, id: string, transferId: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('firm_rates')
      .select('id')
      .where(sql`id::text`, '=', id)
      .where('expires_at', '>', sql<Date>`now()`)
      .where(({ or, eb }) => or([eb('transfer_id', 'is', null), eb('transfer_id', '=', transferId)])),
  )
}

/** One firm rate, whether it still holds or not. */
export async function findFirmRate(db: Db<Tables>, id: string) {
  const query = db
    .selectFrom('firm_rates')
    .selectAll()
    .where(sql`id::text`, '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** Adds a firm rate, with the proof that this server quoted it, in the caller's transaction. */
export async function addQuote(
  { binder }: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  quote: Omit<Insertable<FirmRateTable>, 'bound'>,
): Promise<string> {
  const id = randomUUID()
  const terms = quote.terms ? (JSON.parse(quote.terms) as TransferTerms) : null
  const { asset = null, rail = null, rate = null, client_id = null, client_memo = null } = quote
  const row = { ...quote, id, terms, asset, rail, rate, client_id, client_memo }
  const bound = binder.bind(rowOf(row))
  await tx
    .insertInto('firm_rates')
    .values({ ...quote, id, bound })
    .execute()
  return id
}

type Quoted = Omit<
  Selectable<FirmRateTable>,
  'bound' | 'client_domain' | 'created_at' | 'exchange' | 'person' | 'reserved' | 'transfer_id'
>

const rowOf = (row: Quoted): BoundRow => [
  'firm_rates',
  ...[row.id, row.asset, row.sell_asset, row.buy_asset, row.currency, row.rail],
  ...[plain(row.amount), plain(row.fee), plain(row.fiat_amount), row.rate, row.terms && sorted(row.terms)],
  ...[row.client_id, row.client_memo, row.expires_at.toISOString()],
]

/**
 * Assigns a firm rate that still holds to a transfer; null where it has expired, belongs to another transfer, or is not what
 * this server quoted.
 *
 * @param isUpgrading whether a server of the release before may have quoted it, without a proof.
 */
export async function takeQuote(
  { binder, logger }: Pick<Deps, 'binder' | 'logger'>,
  db: Db<Tables>,
  { id, transferId, isUpgrading }: { id: string; transferId: string; isUpgrading: boolean },
) {
  const row = await db
    .updateTable('firm_rates')
    .set({ transfer_id: transferId })
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(({ or, eb }) => or([eb('transfer_id', 'is', null), eb('transfer_id', '=', transferId)]))
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  if (binder.isBound(row.bound, rowOf(row))) return row
  if (row.bound === null && isUpgrading) return row
  logger.error({ quote: id }, 'a firm rate is not what this server quoted')
  return null
}
