import { failedForNow } from '@windlass/service/observe/outage.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from './deps.ts'
import type { Tables } from './tables.ts'

/* What earlier releases wrote has no proof. A migration lists what money may still follow from; nobody adds to the lists. */

type Binding = Pick<Deps, 'database' | 'logger'>
type Bind = (tx: Db<Tables>, id: string) => Promise<void>

/** A table with one column. */
interface List {
  table: string
  column: string
}

const PAGE = 500
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Binds what a migration listed. What fails stays on the list and does not keep others from being bound.
 *
 * @param bind takes it off the list too
 * @param most how many it ends at about, where the next round continues
 * @returns why some failed, which may be for a moment only
 */
export async function bindListed(
  deps: Binding,
  { table, column }: List,
  bind: Bind,
  most = Infinity,
): Promise<unknown[]> {
  const [from, id] = [sql.table(table), sql.ref(column)]
  const failures: unknown[] = []
  let [after, ended] = [BEFORE_ALL, 0]
  while (ended < most) {
    const { rows } = await sql<{ id: string }>`
      select ${id} as id from ${from} where ${id} > ${after} order by 1 limit ${PAGE}`.execute(
      deps.database.db,
    )
    const last = rows.at(-1)
    if (!last) break
    const failed = await bindEach(deps, rows, bind)
    failures.push(...failed)
    after = last.id
    ended += rows.length - failed.length
  }
  return failures
}

/** Binds each in a transaction of its own. @returns why some failed */
export async function bindEach(
  { database, logger }: Binding,
  rows: readonly { id: string }[],
  bind: Bind,
): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const { id } of rows)
    try {
      await database.db.transaction().execute(tx => bind(tx, id))
    } catch (error) {
      if (failedForNow(error)) throw error
      logger.error({ err: error, id }, 'what an earlier release wrote cannot be bound')
      failures.push(error)
    }
  return failures
}

/** A round that failed is tried again after its pause. */
export function failWith(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} rows are not bound yet`)
}
