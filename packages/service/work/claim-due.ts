import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'

interface DueRows {
  table: string
  /** A unique column. Default: `id`. */
  key?: string
  /** The column that holds when a row is due. */
  dueAt: string
  /** After a crash the rows are due again after this long. */
  leaseSeconds: number
  limit: number
  /** Default: the database's time. */
  now?: Date
  /** Further condition on the row. */
  where?: RawBuilder<unknown>
  /** Further columns to set, such as sql`attempts = attempts + 1`. */
  set?: RawBuilder<unknown>
}

/**
 * Claims rows that are due: several processes never claim the same row at once, and a row whose process died is due
 * again after its lease. Rows come back as they are after the claim, in no order.
 */
export async function claimDue<Row, Tables>(
  db: Kysely<Tables> | Transaction<Tables>,
  due: DueRows,
): Promise<Row[]> {
  const [table, key, dueAt] = [sql.table(due.table), sql.ref(due.key ?? 'id'), sql.ref(due.dueAt)]
  const now = due.now ? sql`${due.now}::timestamptz` : sql`now()`
  const { rows } = await sql<Row>`
    update ${table}
    set ${dueAt} = ${now} + ${due.leaseSeconds} * interval '1 second' ${due.set ? sql`, ${due.set}` : sql``}
    where ${key} in (
      select ${key} from ${table}
      where ${dueAt} <= ${now} and ${due.where ?? sql`true`}
      order by ${dueAt}
      limit ${due.limit}
      for update skip locked)
    returning *`.execute(db)
  return rows
}
