import type { CustomerOverview, TransactionNote } from '@windlass/contracts/anchor/developer-api.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { CustomerNoteTable, Tables } from '../../tables.ts'
import { findCustomerById } from './customers.ts'
import { nameOf } from './seal-details.ts'
import { listFiles } from './files.ts'
import { customersAlike } from './same-person.ts'
import { personOf, tierOf } from './tiers.ts'
import { namesDiffer, verifiedNameOf } from './verified-name.ts'

type Store = Pick<Deps, 'database' | 'sealer'>

/** A customer without personal details: of those, only the names. Throws `customer-not-found`. */
export async function customerOverview(deps: Store, id: string): Promise<CustomerOverview> {
  const { db } = deps.database
  const customer = await demandCustomer(deps, id)
  const { central_id: personId, account, memo, fields } = customer
  const [person, check, verified, tier, tiers, files, notes, alike] = await Promise.all([
    personOf(db, account, memo),
    checkOf(db, personId),
    verifiedNameOf(db, deps.sealer, personId),
    tierOf(db, personId),
    listTiers(db, personId),
    listFiles(deps, customer.id),
    listNotes(db, customer.id),
    customersAlike(db, personId),
  ])
  return {
    id: customer.id,
    account,
    memo,
    status: check?.status ?? 'NEEDS_INFO',
    linked: person.id !== null && !person.isProven,
    tier,
    createdAt: customer.created_at.toISOString(),
    checked: check && { provider: check.provider, at: check.completed_at.toISOString() },
    namesDiffer: namesDiffer(nameOf(customer), verified),
    held: [...Object.keys(fields), ...files.map(({ name }) => name)].sort().slice(0, 200),
    tiers,
    notes,
    samePerson: alike,
  }
}

async function demandCustomer(store: Store, id: string) {
  const customer = await findCustomerById(store, id)
  if (!customer) throw new Problem('customer-not-found', 'There is no customer with this id.')
  return customer
}

/** How a person's identity was last checked; null: it was not. */
export async function checkOf(db: Db<Tables>, personId: string | null) {
  if (personId === null) return null
  const row = await db
    .selectFrom('kyc_statuses')
    .select(['status', 'provider', 'session_id', 'completed_at'])
    .where('central_id', '=', personId)
    .executeTakeFirst()
  return row ?? null
}

async function listTiers(db: Db<Tables>, personId: string | null): Promise<CustomerOverview['tiers']> {
  if (personId === null) return []
  const rows = await db
    .selectFrom('customer_tiers')
    .select(['tier', 'reason', 'by', 'at'])
    .where('central_id', '=', personId)
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

const MAX_NOTES = 200

/** Throws `customer-not-found`, and `validation-failed` beyond 200 notes. */
export async function addNote(
  store: Store,
  id: string,
  note: { by: string; text: string },
): Promise<TransactionNote> {
  const customer = await demandCustomer(store, id)
  return store.database.db.transaction().execute(async tx => {
    // Counted and added by one at a time.
    await tx.selectFrom('customers').select('id').where('id', '=', customer.id).forUpdate().execute()
    if ((await listNotes(tx, customer.id)).length >= MAX_NOTES)
      throw invalid('text', `is one note too many: a customer has at most ${MAX_NOTES}`)
    const row = await tx
      .insertInto('customer_notes')
      .values({ customer_id: customer.id, ...note })
      .returningAll()
      .executeTakeFirstOrThrow()
    return formOf(row)
  })
}

async function listNotes(db: Db<Tables>, customerId: string): Promise<TransactionNote[]> {
  const rows = await db
    .selectFrom('customer_notes')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(formOf)
}

const formOf = ({ id, by, text, at }: Selectable<CustomerNoteTable>): TransactionNote => ({
  id,
  by,
  text,
  at: at.toISOString(),
})
