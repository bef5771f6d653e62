import type pg from 'pg'
import type { QuoteRow } from '../tables.ts'
import { columns } from './columns.ts'

/** Rows of one statement. */
const MOST = 100
/** Statements under way: while they are, further quotes gather. */
const AT_ONCE = 2

const INSERT = `insert into quotes (${columns.join(', ')})
  select ${columns.join(', ')} from json_populate_recordset(null::quotes, $1)`

interface Waiting {
  row: QuoteRow
  written: PromiseWithResolvers<void>
}

/** Writes quotes of many requests by one statement. Each caller waits until its own is stored. */
class QuoteWriter {
  readonly #pool: pg.Pool
  readonly #waiting: Waiting[] = []
  #underWay = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  add(row: QuoteRow): Promise<void> {
    const written = Promise.withResolvers<void>()
    this.#waiting.push({ row, written })
    this.#start()
    return written.promise
  }

  #start(): void {
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) {
      this.#underWay += 1
      void this.#write(this.#waiting.splice(0, MOST)).finally(() => {
        this.#underWay -= 1
        this.#start()
      })
    }
  }

  async #write(quotes: readonly Waiting[]): Promise<void> {
    try {
      const rows = JSON.stringify(quotes.map(({ row }) => row))
      // Prepared: every quote uses it.
      await this.#pool.query({ name: 'insert-quotes', text: INSERT, values: [rows] })
      for (const { written } of quotes) written.resolve()
    } catch (error) {
      // One that cannot be stored keeps nobody else's from it.
      if (quotes.length > 1 && isOfRow(error)) for (const each of quotes) await this.#write([each])
      else for (const { written } of quotes) written.reject(error)
    }
  }
}

/** Whether Postgres refuses what a row has, by the class of its code. */
const isOfRow = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown } | null)?.code))

const writers = new WeakMap<pg.Pool, QuoteWriter>()

/** Resolves once the quote is stored. */
export function insertQuote(pool: pg.Pool, row: QuoteRow): Promise<void> {
  const writer = writers.get(pool) ?? new QuoteWriter(pool)
  writers.set(pool, writer)
  return writer.add(row)
}
