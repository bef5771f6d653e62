import { type Amount, amountOf, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { BankLine, Tables } from '../tables.ts'
import { openLine } from './lines.ts'
import { openingsOf } from './openings.ts'

const AT_ONCE = 500

/** Days of the bank, `YYYY-MM-DD`, both included. */
interface Days {
  from: string
  to: string
}

/** What a bank booked on an account, each booking once, in the order of its days. */
export async function* bookingsOf(
  deps: Pick<Deps, 'database' | 'sealer'>,
  account: string,
  { from, to }: Days,
) {
  let last: BankLine | undefined
  for (;;) {
    let query = countedLines(deps.database.db, account)
      .where('booked_on', '>=', from)
      .where('booked_on', '<=', to)
    if (last) query = query.where(sql<boolean>`(booked_on, id) > (${last.booked_on}, ${last.id})`)
    const lines = await query.selectAll().orderBy('booked_on').orderBy('id').limit(AT_ONCE).execute()
    for (const line of lines) yield { line, details: openLine(deps.sealer, line) }
    last = lines.at(-1)
    if (lines.length < AT_ONCE) return
  }
}

/** What an account had before a day: its opening balance and what was booked since. */
export async function bookedBefore(db: Db<Tables>, account: string, day: string): Promise<Amount> {
  const { booked } = await countedLines(db, account)
    .where('booked_on', '<', day)
    .select(
      sql<string>`coalesce(sum(case direction when 'in' then amount else -amount end), 0)::text`.as('booked'),
    )
    .executeTakeFirstOrThrow()
  const { counts } = (await openingsOf(db)).get(account) ?? {}
  const opening = counts && counts.day < day ? parseAmount(counts.amount) : 0n
  return amountOf(parseAmount(booked) + opening)
}

/** Those that are in the journal: looked at, and no repetition of another one. */
const countedLines = (db: Db<Tables>, account: string) =>
  db
    .selectFrom('bank_lines')
    .where('account', '=', account)
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
