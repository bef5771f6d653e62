import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'

/** Retries of orders and payments are planned an hour ahead at most. */
export const RETRIES_WITHIN_SECONDS = 3_900

/** Rows that are worked on when they are due. */
export interface PlannedRows {
  table: string
  /** The column that holds when a row is due; `infinity` waits for a person. */
  dueAt: string
  /**
   * No row is planned further ahead than this: one that is was planned by a clock that has been set back since, and is due
   * at once. Default: it waits for its time.
   */
  longestSeconds?: number
  /** Further condition on the row. */
  where?: RawBuilder<unknown>
}

interface DueRows extends PlannedRows {
  /** A unique column. Default: `id`. */
  key?: string
  /** After a crash the rows are due again after this long. */
  leaseSeconds: number
  limit: number
  /** Default: the database's time. */
  now?: Date
  /** Further columns to set, such as sql`attempts = attempts + 1`. */
  set?: RawBuilder<unknown>
}

/** A scalar query: when the first row is due, for `DueWork`; null: none waits. */
export function firstDueAt({
  table,
  dueAt,
  where = sql`true`,
  longestSeconds,
}: PlannedRows): RawBuilder<Date | null> {
  const column = sql.ref(dueAt)
  const first =
    longestSeconds === undefined
      ? sql`min(${column})`
      : sql`case when ${isPlannedLater(sql`max(${column})`, sql`now()`, longestSeconds)} then now() else min(${column}) end`
  return sql`select ${first} from ${sql.table(table)} where (${where}) and ${column} < 'infinity'`
}

const isPlannedLater = (dueAt: RawBuilder<unknown>, now: RawBuilder<unknown>, longestSeconds: number) =>
  sql`${dueAt} > ${now} + ${longestSeconds} * interval '1 second'`

/**
 * Claims rows that are due: several processes never claim the same row at once, and a row whose process died is due
 * again after its lease. Rows come back as they are after the claim, in no order.
 */
export async function claimDue<Row, Tables>(
  db: Kysely<Tables> | Transaction<Tables>,
  due: DueRows,
): Promise<Row[]> {
  const { limit, longestSeconds } = due
  const [dueAt, now] = [sql.ref(due.dueAt), due.now ? sql`${due.now}::timestamptz` : sql`now()`]
  const rows = await claimThose<Row, Tables>(db, due, now, sql`${dueAt} <= ${now}`)
  if (rows.length >= limit || longestSeconds === undefined) return rows
  const rest = { ...due, limit: limit - rows.length }
  const those = sql`${isPlannedLater(dueAt, now, longestSeconds)} and ${dueAt} < 'infinity'`
  return [...rows, ...(await claimThose<Row, Tables>(db, rest, now, those))]
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
      where ${those} and (${due.where ?? sql`true`})
      order by ${dueAt}
      limit ${due.limit}
      for update skip locked)
    returning *`.execute(db)
  return rows
}
