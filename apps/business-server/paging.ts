import { sql } from 'kysely'

/** Rows after a page's last, newest first. A cursor holds milliseconds: so does every `created_at` that is listed. */
export function after(start: { createdAt: Date; id: string }, idColumn = 'id') {
  return sql<boolean>`(created_at, ${sql.ref(idColumn)}::text) < (${start.createdAt}, ${start.id})`
}
