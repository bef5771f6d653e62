import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'

/** Retries of orders and payments are planned an hour ahead at most. */
export const RETRIES_WITHIN_SECONDS = 3_900

interface DueRows {
  table: string
  /** A unique column. Default: `id`. */
  key?: string
  /** The column that holds when a row is due. */
  dueAt: string
  /** After a crash the rows are due again after this long. */
  leaseSeconds: number
  /**
   * No row is planned further ahead than this: one that is was planned by a clock that has been set back since, and is due
   * at once. Default: it waits for its time.
   */
  longestSeconds?: number
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
  const { longestSeconds } = due
  const [dueAt, now] = [sql.ref(due.dueAt), due.now ? sql`${due.now}::timestamptz` : sql`now()`]
  const rows = await claimThose<Row, Tables>(db, due, now, sql`${dueAt} <= ${now}`)
  if (rows.length > 0 || longestSeconds === undefined) return rows
  const isPlannedLater = sql`${dueAt} > ${now} + ${longestSeconds} * interval '1 second' and ${dueAt} < 'infinity'`
  return claimThose(db, due, now, isPlannedLater)
}

async function claimThose<Row, Tables>(
  db: Kysely<Tables> | Transaction<Tables>,
  due: DueRows,
  now: RawBuilder<unknown>,
  those: RawBuilder<unknown>,
): Promise<Row[]> {
  const [table, key, dueAt] = [sql.table(due.table), sql.ref(due.key ?? 'id'), sql.ref(due.dueAt)]
  const { rows } = await sql<Row>`
    update ${table}
    set ${dueAt} = ${now} + ${due.leaseSeconds} * interval '1 second' ${due.set ? sql`, ${due.set}` : sql``}
    where ${key} in (
      select ${key} from ${table}
      where ${those} and ${due.where ?? sql`true`}
      order by ${dueAt}
      limit ${due.limit}
      for update skip locked)
    returning *`.execute(db)
  return rows
}
