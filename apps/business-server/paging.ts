import { invalid } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'

/** Rows after a page's last, newest first. A cursor holds milliseconds: so does every `created_at` that is listed. */
export function after(start: { createdAt: Date; id: string }, idColumn = 'id') {
  return sql<boolean>`(created_at, ${sql.ref(idColumn)}::text) < (${start.createdAt}, ${start.id})`
}

/** Rows after a page's last, newest first, where a number says which is newer. */
export function numberedAfter({ id }: { id: string }, idColumn = 'id') {
  if (!/^\d{1,18}$/.test(id)) throw invalid('cursor', 'must be the cursor of a Link header')
  return sql<boolean>`${sql.ref(idColumn)} < ${id}::bigint`
}

/** A day such as `2026-11-30`. Throws `validation-failed`. */
export function requireDay(name: string, text: string): string {
  const day = new Date(`${text}T00:00:00.000Z`)
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
  // No bank booked anything before, and not every year is one of Postgres.
  if (!isDay || text < '1900') throw invalid(name, 'must be a day such as 2026-11-30')
  return text
}

/** When the first of the last `days` days began in a time zone. */
export const firstDay = (days: number, timeZone: string) =>
  sql<Date>`(((now() at time zone ${timeZone})::date - (${days}::int - 1))::timestamp at time zone ${timeZone})`
