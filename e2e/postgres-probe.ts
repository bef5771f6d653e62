import { openDatabase } from '@windlass/service/postgres/database.ts'
import { listen } from '@windlass/service/postgres/listen.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { isDatabaseAway } from '@windlass/service/observe/outage.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const WRITERS = 4
const CHANNEL = 'probe'

/** Writes all the time as services do, by the same pool, and knows what was acknowledged and heard. */
export async function startProbe(url: string) {
  const database = openDatabase<never>(url, { name: 'probe', max: WRITERS })
  await database.pool.query('create table if not exists probe (id text primary key)')
  const acknowledged: { id: string; at: number }[] = []
  const heard = new Map<string, number>()
  const surprises: unknown[] = []
  let isOver = false
  const listening = listen(
    url,
    [CHANNEL],
    received => received && heard.set(received.payload, performance.now()),
    createLogger('probe'),
  )
  const write = async (id: string): Promise<void> => {
    try {
      await database.pool.query(
        `with written as (insert into probe values ($1) returning id) select pg_notify('${CHANNEL}', id) from written`,
        [id],
      )
      acknowledged.push({ id, at: performance.now() })
    } catch (error) {
      // Services answer 503 to these and try again; anything else would be a 500.
      if (!isDatabaseAway(error)) surprises.push(error)
    }
  }
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let count = 0; !isOver; count++) {
      await write(`${writer}-${count}`)
      await sleep(20)
    }
  })
  return {
    surprises,
    /** How many writes were acknowledged after a time of `performance.now()`. */
    acknowledgedSince: (time: number) => acknowledged.filter(({ at }) => at > time).length,
    /** How many notifications of writes after the time came. */
    heardSince: (time: number) => [...heard.values()].filter(at => at > time).length,
    /** The longest time without an acknowledgement since then, in seconds. */
    longestPause: (since: number) => {
      const times = [since, ...acknowledged.map(({ at }) => at).filter(at => at > since), performance.now()]
      return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1_000
    },
    /** What was acknowledged and is not in the database. */
    lost: async () => {
      const ids = acknowledged.map(({ id }) => id)
      const { rows } = await database.pool.query<{ id: string }>('select id from probe')
      const found = new Set(rows.map(({ id }) => id))
      return ids.filter(id => !found.has(id))
    },
    stop: async () => {
      isOver = true
      await Promise.all(writers)
      await listening.stop()
      await database.close()
    },
  }
}

/** Whether a server acknowledges a write that comes to it directly. */
export async function acknowledgesWrite(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 4_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('insert into probe values (gen_random_uuid()::text)')
    return true
  } catch {
    return false
  } finally {
    client.connection.stream.destroy()
  }
}

const LOCK = 727_999

/** Takes an advisory lock on a connection of its own. Throws where another holds it. */
export async function holdLock(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  let lost = false
  client.on('error', () => (lost = true))
  await client.connect()
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCK])
  if (!rows[0]?.held) throw new Error('another holds the lock')
  return { isLost: () => lost, release: () => client.end() }
}
