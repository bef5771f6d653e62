import type pg from 'pg'

const DAY_MS = 86_400_000

/** Tables partitioned by day and how many days they reach back. */
const tables = [
  { name: 'health_metrics', days: 30 },
  { name: 'routing_decisions', days: 30 },
  // Decisions made just after midnight may refer to one taken just before.
  { name: 'routing_snapshots', days: 31 },
] as const

/**
 * Makes the partitions from yesterday to three days ahead and drops those that are too old. Processes that do so at the
 * same time wait for each other.
 */
export async function keepDayPartitions(pool: pg.Pool, now: Date): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock(727002)')
    for (const { name, days } of tables) {
      for (let ahead = -1; ahead <= 3; ahead += 1) await make(client, name, dayOf(now, ahead))
      await dropOlder(client, name, dayOf(now, -days))
    }
  } finally {
    await client.query('select pg_advisory_unlock(727002)').catch(() => undefined)
    client.release()
  }
}

const dayOf = (now: Date, ahead: number) =>
  new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + ahead * DAY_MS)

const suffixOf = (day: Date) => day.toISOString().slice(0, 10).replaceAll('-', '')

async function make(client: pg.PoolClient, table: string, day: Date): Promise<void> {
  const until = new Date(day.getTime() + DAY_MS)
  await client.query(
    `create table if not exists ${table}_${suffixOf(day)} partition of ${table}
     for values from ('${day.toISOString()}') to ('${until.toISOString()}')`,
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
