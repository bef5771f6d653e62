import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sealWhenDue } from '@windlass/service/seals/sealing.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables, Transaction } from '../tables.ts'

/** What a wallet sent of its customer: SEP-9 names, and `dest` and `dest_extra` of SEP-6, to values. */
export type Details = Readonly<Record<string, string>>

/** What the SEP server itself needs later: where a withdrawal goes. */
const KEPT = ['dest', 'dest_extra']

const contextOf = (transactionId: string) => `transaction:${transactionId}`

/** Bound to the transaction, so that the bytes open in no other row. Null for no details. */
export const sealDetails = (sealer: Sealer, transactionId: string, details: Details): Buffer | null =>
  Object.keys(details).length === 0 ? null : sealer.seal(JSON.stringify(details), contextOf(transactionId))

/** Throws where the key does not fit. */
export const openDetails = (
  sealer: Sealer,
  { id, details, fields }: Pick<Transaction, 'id' | 'details' | 'fields'>,
): Details => (details ? (JSON.parse(sealer.open(details, contextOf(id))) as Details) : fields)

/** Removes what only the business server needs, once it has it. */
export async function forgetDetails({ database, sealer }: Deps, id: string): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const row = await lockDetails(tx).where('id', '=', id).executeTakeFirst()
    if (row) await keepDestination(tx, sealer, row)
  })
}

const AT_ONCE = 100

/** Encrypts customers' details again when it is due. */
export async function sealAgain(deps: Deps): Promise<void> {
  const [key = 0] = deps.config.detailsKeys.keys()
  const { version } = deps.config.anchor
  await sealWhenDue(deps.database.db, { version, key, seal: () => sealUnderNewestKey(deps) })
}

/** Encrypts what an earlier release or an older key left, some rows at a time. */
export async function sealUnderNewestKey({ database, sealer, config }: Deps): Promise<void> {
  const newest = Buffer.from([[...config.detailsKeys.keys()][0] ?? 0])
  for (let count = AT_ONCE; count === AT_ONCE;) {
    count = await database.db.transaction().execute(async tx => {
      const rows = await lockDetails(tx)
        .where(
          sql<boolean>`case when details is null then fields <> '{}' else substring(details for 1) <> ${newest} end`,
        )
        .limit(AT_ONCE)
        .execute()
      for (const row of rows) await keepDestination(tx, sealer, row)
      return rows.length
    })
  }
}

const lockDetails = (tx: Db<Tables>) =>
  tx.selectFrom('transactions').select(['id', 'details', 'fields']).forUpdate()

async function keepDestination(
  tx: Db<Tables>,
  sealer: Sealer,
  row: Pick<Transaction, 'id' | 'details' | 'fields'>,
): Promise<void> {
  const kept = Object.fromEntries(
    Object.entries(openDetails(sealer, row)).filter(([name]) => KEPT.includes(name)),
  )
  await tx
    .updateTable('transactions')
    .set({ details: sealDetails(sealer, row.id, kept), fields: '{}' })
    .where('id', '=', row.id)
    .execute()
}
