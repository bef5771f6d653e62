import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { CustomerTable } from '../../tables.ts'

/** Personal details of a customer. */
export interface Details {
  /** SEP-9's names to values. */
  fields: Readonly<Record<string, string>>
  /** Between email and code: the address that a code was sent to. */
  pendingEmail: string | null
  /** Whether the account waits until the customer, who entered the code, confirms it at the platform. */
  unconfirmed: boolean
}

/** An account, and a memo where one account is many people's, with its details opened. */
export interface Customer extends Details {
  id: string
  account: string
  memo: string | null
  central_id: string | null
  created_at: Date
}

const contextOf = (customerId: string) => `customer:${customerId}`

/** Details as they are in the database: bound to their customer, so that they open nowhere else. */
export const sealDetails = (sealer: Sealer, customerId: string, details: Details): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(customerId))

/** The customer of a row. Throws where the key does not fit. */
export function openCustomer(sealer: Sealer, row: Selectable<CustomerTable>): Customer {
  const { id, account, memo, central_id, created_at } = row
  const details = row.details
    ? (JSON.parse(sealer.open(row.details, contextOf(id))) as Omit<Details, 'unconfirmed'> & Partial<Details>)
    : { fields: row.fields, pendingEmail: row.pending_email }
  // Details of an earlier release do not say whether the account waits.
  return { id, account, memo, central_id, created_at, unconfirmed: false, ...details }
}

/** What a file is bound to: its customer and its name. */
export const fileContext = (customerId: string, name: string) => `customer-file:${customerId}:${name}`

const AT_ONCE = 100

/** Seals again what is not sealed under the newest key: everything, some rows at a time. */
export async function sealUnderNewestKey(deps: Deps): Promise<number> {
  return (await sealDetailsAgain(deps)) + (await sealFilesAgain(deps))
}

/** Also what an earlier version stored unencrypted. */
async function sealDetailsAgain({ database, sealer, sealVersion }: Deps): Promise<number> {
  const newest = Buffer.from([sealVersion])
  for (let sealed = 0; ;) {
    const count = await database.db.transaction().execute(async tx => {
      const rows = await tx
        .selectFrom('customers')
        .selectAll()
        .where(
          sql<boolean>`case when details is null then fields <> '{}' or pending_email is not null
            else substring(details for 1) <> ${newest} end`,
        )
        .limit(AT_ONCE)
        .forUpdate()
        .execute()
      for (const row of rows) {
        const { fields, pendingEmail, unconfirmed } = openCustomer(sealer, row)
        const details = sealDetails(sealer, row.id, { fields, pendingEmail, unconfirmed })
        await tx
          .updateTable('customers')
          .set({ details, fields: '{}', pending_email: null })
          .where('id', '=', row.id)
          .execute()
      }
      return rows.length
    })
    sealed += count
    if (count < AT_ONCE) return sealed
  }
}

async function sealFilesAgain({ database, sealer, sealVersion }: Deps): Promise<number> {
  for (let sealed = 0; ; sealed++) {
    const file = await database.db
      .selectFrom('customer_files')
      .select(['customer_id', 'name', 'sealed'])
      .where(sql<boolean>`substring(sealed for 1) <> ${Buffer.from([sealVersion])}`)
      .limit(1)
      .executeTakeFirst()
    if (!file) return sealed
    const context = fileContext(file.customer_id, file.name)
    await database.db
      .updateTable('customer_files')
      .set({ sealed: sealer.seal(sealer.open(file.sealed, context), context) })
      .where('customer_id', '=', file.customer_id)
      .where('name', '=', file.name)
      .where('sealed', '=', file.sealed)
      .execute()
  }
}
