import { sql } from 'kysely'

/** Rows after a page's last, newest first; a cursor holds milliseconds, so the database's time is cut to them. */
export function after(start: { createdAt: Date; id: string }, idColumn = 'id') {
  return sql<boolean>`(date_trunc('milliseconds', created_at), ${sql.ref(idColumn)}::text) < (${start.createdAt}, ${start.id})`
}
