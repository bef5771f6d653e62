import { ended, open } from './status.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Origin } from '@windlass/service/observe/current-request.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Selectable } from 'kysely'
import { samePersons } from '../people/customers/same-person.ts'
import type { Tables, Transfer, TransferState, TransferStepTable } from '../tables.ts'

export async function findTransfer(db: Db<Tables>, id: string): Promise<Transfer | null> {
  if (!isUuid(id)) return null
  const row = await db.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** The wallet's request that a transfer began with; null where there is no transfer or none is known. */
export async function originOf(db: Db<Tables>, id: string | null): Promise<Origin | null> {
  if (id === null) return null
  const row = await db.selectFrom('transfers').select('origin').where('id', '=', id).executeTakeFirst()
  return row?.origin ?? null
}

/** Holds the row until the surrounding transaction ends. Throws where there is none. */
export function lockTransfer(tx: Db<Tables>, id: string): Promise<Transfer> {
  return tx.selectFrom('transfers').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

export function stepsOf(
  db: Db<Tables>,
  id: string,
): Promise<Pick<Selectable<TransferStepTable>, 'to_state' | 'why' | 'at'>[]> {
  return db
    .selectFrom('transfer_steps')
    .select(['to_state', 'why', 'at'])
    .where('transfer_id', '=', id)
    .orderBy('id')
    .execute()
}

/** States that end when a transfer is not paid or continued in time. */
const expiring = ['new', 'identifying', 'awaiting_funds'] as const

/** Transfers that were not paid or continued in time. */
export async function overdueTransfers(db: Db<Tables>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select first.id from unnest(${[...expiring]}::text[]) as each(state) cross join lateral (
      select id from transfers where transfers.state = each.state and expires_at < now()
      order by expires_at limit 50) as first limit 50`.execute(db)
  return rows.map(({ id }) => id)
}

/** For the due work: when the first transfer that was not paid expires. */
export const expiryDueAt = sql<Date | null>`
  select min(expires_at) from unnest(${[...expiring]}::text[]) as each(state) cross join lateral (
    select expires_at from transfers where transfers.state = each.state order by expires_at limit 1) as first`

const isIdentifying = sql<boolean>`
  (state = 'identifying' or (state = 'new' and sep = '6' and message is not null))`

/** For the due work: now, while {@link identifyingTransfers} finds one. */
export const identifyingDueAt = sql<Date | null>`
  select now() from (select id from transfers where ${isIdentifying} order by id limit 1) as first`

/** How many transfers {@link identifyingTransfers} gives at most. */
export const IDENTIFYING_AT_ONCE = 200

/**
 * Transfers without pages (SEP-6) that wait for their customer's KYC, for capacity or for another destination: by id,
 * those behind one.
 */
export async function identifyingTransfers(db: Db<Tables>, behind: string): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where(isIdentifying)
    .where('id', '>', behind)
    .orderBy('id')
    .limit(IDENTIFYING_AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deposits of a customer that became claimable balances: of the account with whatever memo, and of the person. */
export function claimableOf(
  db: Db<Tables>,
  { account, person }: Pick<Transfer, 'account' | 'person'>,
): Promise<Pick<Transfer, 'claimable_balance_id'>[]> {
  return db
    .selectFrom('transfers')
    .select('claimable_balance_id')
    .where('claimable_balance_id', 'is not', null)
    .where(({ or, eb }) => or([eb('account', '=', account), eb('person', '=', person)]))
    .execute()
}

/** Deposits that say that this payment was theirs, or that are named by its reference. */
export async function depositsOf(
  db: Db<Tables>,
  rail: string,
  { paymentId, reference }: { paymentId: string; reference: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where('direction', '=', 'deposit')
    .where('rail', '=', rail)
    .where(({ or, eb }) => or([eb('rail_payment_id', '=', paymentId), eb('reference', '=', reference)]))
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether nobody's money came for it. */
export const isUnpaid = ({ state }: Pick<Transfer, 'state'>): boolean => unpaid.includes(state)

const unpaid: readonly TransferState[] = ['new', 'identifying', 'awaiting_funds', 'expired', 'failed']

/** Those of a customer, oldest first, also from before they were deleted and came back. */
export function transfersOf(
  db: Db<Tables>,
  { id, account, memo }: { id: string; account: string; memo: string | null },
  { lock = false } = {},
): Promise<Transfer[]> {
  const query = db
    .selectFrom('transfers')
    .selectAll()
    .where(({ eb, or, and }) =>
      or([
        eb('customer_id', '=', id),
        eb('receiver_id', '=', id),
        and([
          eb('account', '=', account),
          memo === null ? eb('account_memo', 'is', null) : eb('account_memo', '=', memo),
          eb('sep', '!=', '31'),
        ]),
      ]),
    )
    .orderBy('created_at')
  return (lock ? query.forUpdate() : query).execute()
}

export async function transfersWithIds(db: Db<Tables>, ids: readonly string[]): Promise<Transfer[]> {
  if (ids.length === 0) return []
  return db.selectFrom('transfers').selectAll().where('id', 'in', ids).orderBy('created_at').execute()
}

/** Those whose money waits for what their customer or receiver sends by SEP-12. */
export function transfersAsking(db: Db<Tables>, customerId: string): Promise<Transfer[]> {
  return db
    .selectFrom('transfers')
    .selectAll()
    .where(({ eb, or }) => or([eb('customer_id', '=', customerId), eb('receiver_id', '=', customerId)]))
    .where('state', 'in', ['identifying', 'funded', 'awaiting_trust'])
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute()
}

/** How many have not ended, counted up to a hundred of each state. */
export async function countOpen(db: Db<Tables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from unnest(${open}::text[]) as open(state) cross join lateral (
      select from transfers where transfers.state = open.state order by expires_at limit 100) as one`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** As many deposits are looked at: who agrees and never pays makes none of it slow. */
const LATEST = 1_000

/** Customers who agreed to a deposit and may pay at any moment: each counts once, however often they agreed. */
export async function countAgreedDepositors(db: Db<Tables>): Promise<number> {
  const latest = db
    .selectFrom('transfers')
    .select(sql<string>`coalesce(person, account)`.as('customer'))
    .where('state', '=', 'awaiting_funds')
    .where('direction', '=', 'deposit')
    .orderBy('expires_at', 'desc')
    .limit(LATEST)
  const { agreed } = await db
    .selectFrom(latest.as('latest'))
    .select(({ fn }) => fn.count<string>('customer').distinct().as('agreed'))
    .executeTakeFirstOrThrow()
  return Number(agreed)
}

/** Those that have not ended. */
export function openTransfers(db: Db<Tables>): Promise<Pick<Transfer, 'id' | 'state'>[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'state'])
    .where('state', 'not in', [...ended])
    .orderBy('created_at')
    .execute()
}

/** Withdrawals whose payment has not come: oldest first, with the amount that it should have. */
export function unpaidWithdrawals(
  db: Db<Tables>,
  limit: number,
): Promise<{ id: string; amount: string | null; memo: string | null }[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'amount', 'ledger_memo as memo'])
    .where('direction', '=', 'withdrawal')
    .where('state', 'in', ['awaiting_funds', 'expired'])
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** Deposits whose money has not come, of an account; of muxed accounts all, since a claimable balance names none. */
export function depositsTo(db: Db<Tables>, account: string): Promise<Transfer[]> {
  return db
    .selectFrom('transfers')
    .selectAll()
    .where('direction', '=', 'deposit')
    .where(({ or, and, eb }) =>
      or([
        eb('stellar_account', '=', account),
        and([eb('claimable', '=', true), eb('stellar_account', 'like', 'M%')]),
      ]),
    )
    .where('state', 'in', ['awaiting_funds', 'expired'])
    .execute()
}

/** Deposits that were agreed and not paid, other than this one. */
interface UnpaidDeposits {
  /** Ids of the customer's transfers that may still be paid. */
  customer: string[]
  /** How many of the customer's transfers expired within a day. */
  expired: number
  /** Ids of transfers of all customers of the wallet application that may still be paid. */
  client: string[]
}

export async function unpaidDeposits(
  tx: Db<Tables>,
  { id, account, account_memo, client_domain }: Transfer,
): Promise<UnpaidDeposits> {
  const unpaid = tx
    .selectFrom('transfers')
    .select(['id', 'state'])
    .where('id', '<>', id)
    .where('direction', '=', 'deposit')
    .where('reference', 'is not', null)
  const own = await unpaid
    .where('account', '=', account)
    .where('account_memo', 'is not distinct from', account_memo)
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'awaiting_funds'),
        and([eb('state', '=', 'expired'), eb('updated_at', '>', sql<Date>`now() - interval '1 day'`)]),
      ]),
    )
    .execute()
  const ofClient =
    client_domain === null
      ? []
      : await unpaid
          .where('client_domain', '=', client_domain)
          .where('state', '=', 'awaiting_funds')
          .execute()
  const open = own.filter(({ state }) => state === 'awaiting_funds')
  return {
    customer: open.map(row => row.id),
    expired: own.length - open.length,
    client: ofClient.map(row => row.id),
  }
}

export async function transfersByReference(
  db: Db<Tables>,
  references: readonly string[],
): Promise<Transfer[]> {
  if (references.length === 0) return []
  return db.selectFrom('transfers').selectAll().where('reference', 'in', references).orderBy('id').execute()
}

/** Deposits over these rails that wait for this amount, or for any, newest first. */
export function awaitedDeposits(
  db: Db<Tables>,
  rails: readonly string[],
  amount: string,
  limit: number,
): Promise<Transfer[]> {
  return db
    .selectFrom('transfers')
    .selectAll()
    .where('direction', '=', 'deposit')
    .where('rail', 'in', rails)
    .where('reference', 'is not', null)
    .where(({ or, eb }) => or([eb('fiat_amount', '=', amount), eb('fiat_amount', 'is', null)]))
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'awaiting_funds'),
        and([eb('state', '=', 'expired'), eb('updated_at', '>', sql<Date>`now() - interval '60 days'`)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** When a person last agreed a transfer before this one, of those whose money came; null: it is their first. */
export async function paidBefore(
  db: Db<Tables>,
  { id, created_at }: Pick<Transfer, 'id' | 'created_at'>,
  accounts: readonly { account: string; memo: string | null }[],
  person: string | null,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(t.created_at) as at from transfers t
    where t.id <> ${id} and t.created_at < ${created_at}
      and t.state not in ('new', 'identifying', 'awaiting_funds', 'expired', 'failed')
      and (t.person = any(${person === null ? [] : await samePersons(db, person)}::text[]) or exists (
        select from json_to_recordset(${JSON.stringify(accounts)}) as a (account text, memo text)
        where a.account = t.account and a.memo is not distinct from t.account_memo))`.execute(db)
  return rows[0]?.at ?? null
}
