import type pg from 'pg'

const DAY_MS = 86_400_000
const KEEP_DAYS = 30

/** Tables partitioned by day and what each partition is made with. */
const tables = [
  { name: 'health_metrics', storage: '' },
  // A decision stays in its row, uncompressed: it is written once and seldom read.
  { name: 'routing_decisions', storage: ' with (toast_tuple_target = 8160)' },
] as const

/**
 * Makes the partitions from yesterday to three days ahead and drops those of more than 30 days ago. Processes that do
 * so at the same time wait for each other.
 */
export async function keepDayPartitions(pool: pg.Pool, now: Date): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock(727002)')
    for (const table of tables) {
      for (let ahead = -1; ahead <= 3; ahead += 1) await make(client, table, dayOf(now, ahead))
      await dropOlder(client, table.name, dayOf(now, -KEEP_DAYS))
    }
  } finally {
    await client.query('select pg_advisory_unlock(727002)').catch(() => undefined)
    client.release()
  }
}

const dayOf = (now: Date, ahead: number) =>
  new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + ahead * DAY_MS)

const suffixOf = (day: Date) => day.toISOString().slice(0, 10).replaceAll('-', '')

async function make(client: pg.PoolClient, table: (typeof tables)[number], day: Date): Promise<void> {
  const until = new Date(day.getTime() + DAY_MS)
  await client.query(
    `create table if not exists ${table.name}_${suffixOf(day)} partition of ${table.name}
     for values from ('${day.toISOString()}') to ('${until.toISOString()}')${table.storage}`,
  )
}

async function dropOlder(client: pg.PoolClient, table: string, oldest: Date): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ ('^' || $1 || '_\\d{8}$') and c.relname < $2`,
    [table, `${table}_${suffixOf(oldest)}`],
  )
  for (const { name } of rows) await client.query(`drop table if exists ${name}`)
}
