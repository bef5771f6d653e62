import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely'
import pg from 'pg'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../postgres/database.ts'
import { loop, type Loop } from './loop.ts'
import type { Outage } from '../observe/outage.ts'

/** Work that rows with a due time wait for. */
export interface DueWork {
  /** For the log. */
  name: string
  /** One round: does what is due. It must be safe to leave at any point. */
  act(): Promise<unknown>
  /** A scalar query: when the first row is due (`timestamptz`); null: none waits. Of rows that are claimed: `firstDueAt`. */
  dueAt: RawBuilder<Date | null>
  /** Milliseconds between two rounds while rows stay due, such as those that another server must accept first. */
  pauseMs: number
}

interface DueWorkOptions<T> {
  database: Pick<Database<T>, 'db' | 'notifications'>
  work: readonly DueWork[]
  logger: FastifyBaseLogger
  outage?: Outage
  /** Milliseconds after which the due times are looked at whatever happens; by default 30,000. */
  lookEveryMs?: number
}

/** The due work of a server. */
export interface DueWorkers extends Pick<Loop, 'stop'> {
  /** Starts a round of that work now; during a round, another one after it. */
  wake(name: string): void
}

const LOOK_EVERY_MS = 30_000

/**
 * Does work when it is due: one query finds the due times of all of it, and nothing happens until the first one. It looks
 * again after each round, at each of the database's notifications, and from time to time, because a notification can be
 * lost.
 */
export function startDueWork<T>(options: DueWorkOptions<T>): DueWorkers {
  const { database, logger, outage, lookEveryMs = LOOK_EVERY_MS } = options
  const works = options.work.map(({ name, act, pauseMs }) => {
    const work = { busy: false, restUntil: 0, rounds: null as unknown as Loop }
    work.rounds = loop({
      name,
      logger,
      outage,
      everyMs: null,
      startNow: false,
      act: async () => {
        work.busy = true
        try {
          await act()
        } finally {
          work.busy = false
          work.restUntil = performance.now() + pauseMs
          looks.wake()
        }
      },
    })
    return { name, work }
  })
  let nextMs = lookEveryMs
  const question = questionOf(database.db, options.work)
  const look = async (): Promise<void> => {
    const waits = await millisecondsUntil(database.db, question, works.length)
    nextMs = lookEveryMs
    for (const [index, { work }] of works.entries()) {
      const wait = waits[index] ?? null
      if (wait === null) continue
      // After its round it is looked at again.
      if (work.busy) continue
      const pause = Math.max(wait, work.restUntil - performance.now())
      if (pause <= 0) work.rounds.wake()
      else nextMs = Math.min(nextMs, Math.ceil(pause))
    }
  }
  const looks = loop({ name: 'due times', act: look, everyMs: () => nextMs, logger, outage })
  database.notifications.on('received', looks.wake)
  return {
    wake: name => works.find(each => each.name === name)?.work.rounds.wake(),
    stop: async () => {
      database.notifications.off('received', looks.wake)
      await Promise.all([looks, ...works.map(({ work }) => work.rounds)].map(each => each.stop()))
    },
  }
}

/** Milliseconds until the first row of all of it is due, below 0 for one that is overdue; null: none waits. */
export async function millisecondsUntilDue<T>(
  db: Kysely<T>,
  work: readonly Pick<DueWork, 'dueAt'>[],
): Promise<number | null> {
  const waits = (await millisecondsUntil(db, questionOf(db, work), work.length)).filter(wait => wait !== null)
  return waits.length === 0 ? null : Math.min(...waits)
}

type Question = CompiledQuery<Record<string, number | null>>

/** Without parameters: with them, Postgres would plan its many parts at each look. */
function questionOf<T>(db: Kysely<T>, work: readonly Pick<DueWork, 'dueAt'>[]): Question {
  const columns = work.map(
    ({ dueAt }, index) =>
      sql`(extract(epoch from (${dueAt}) - now()) * 1000)::float8 as ${sql.ref(`w${index}`)}`,
  )
  const { sql: text, parameters } = sql`select ${sql.join(columns)}`.compile(db)
  return CompiledQuery.raw(text.replaceAll(/\$(\d+)/g, (_, number) => literal(parameters[number - 1])))
}

function literal(value: unknown): string {
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (typeof value === 'string' || typeof value === 'number') return pg.escapeLiteral(String(value))
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  throw new Error(`A due time is asked for with texts, numbers, times and lists, not with ${typeof value}.`)
}

async function millisecondsUntil<T>(
  db: Kysely<T>,
  question: Question,
  count: number,
): Promise<(number | null)[]> {
  if (count === 0) return []
  const { rows } = await db.executeQuery(question)
  return Array.from({ length: count }, (_, index) => rows[0]?.[`w${index}`] ?? null)
}
