import { sql } from 'kysely'

/** Rows after a page's last, newest first. A cursor holds milliseconds: so does every `created_at` that is listed. */
export function after(start: { createdAt: Date; id: string }, idColumn = 'id') {
  return sql<boolean>`(created_at, ${sql.ref(idColumn)}::text) < (${start.createdAt}, ${start.id})`
}

/** When the first of the last `days` days began in a time zone. */
export const firstDay = (days: number, timeZone: string) =>
  sql<Date>`(((now() at time zone ${timeZone})::date - (${days}::int - 1))::timestamp at time zone ${timeZone})`
