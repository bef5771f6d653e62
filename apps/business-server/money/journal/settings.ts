import type { JournalSettings } from '@windlass/contracts/anchor/journal.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../../tables.ts'

const FIRST: JournalSettings = { timeZone: 'UTC' }

export async function journalSettings(db: Db<Tables>): Promise<JournalSettings> {
  const query = db.selectFrom('journal_settings').select('settings').orderBy('version', 'desc').limit(1)
  return { ...FIRST, ...(await query.executeTakeFirst())?.settings }
}

/** Throws `validation-failed` for a time zone that there is not. */
export async function setJournalSettings(
  db: Db<Tables>,
  { by, ...settings }: JournalSettings & { by: string },
): Promise<JournalSettings> {
  await dayIn(db, settings.timeZone, new Date(0)).catch((error: unknown) => {
    throw isUnknownZone(error) ? invalid('timeZone', 'must be an IANA name such as Asia/Kolkata') : error
  })
  const { charges } = settings
  if (charges && parseAmount(charges.tolerance) < 0n)
    throw invalid('charges.tolerance', 'must not be negative')
  await db
    .insertInto('journal_settings')
    .values({ settings: JSON.stringify(settings), by })
    .execute()
  return settings
}

/** Whether Postgres has no such time zone. */
export const isUnknownZone = (error: unknown): boolean => (error as { code?: unknown }).code === '22023'

/** The day, `YYYY-MM-DD`, of a moment in a time zone. */
async function dayIn(db: Db<Tables>, timeZone: string, at: Date): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    select to_char(${at}::timestamptz at time zone ${timeZone}, 'YYYY-MM-DD') as day`.execute(db)
  return rows[0]?.day ?? ''
}

/** The day of a moment in the anchor's time zone. */
export const journalDay = async (db: Db<Tables>, at: Date): Promise<string> =>
  dayIn(db, (await journalSettings(db)).timeZone, at)
