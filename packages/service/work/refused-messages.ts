import { CompiledQuery } from 'kysely'
import type { Db } from '../postgres/database.ts'
import { NOT_LEASED } from './outbox-rows.ts'

interface RefusedMessage {
  id: string
  topic: string
  key: string
  code: string
  detail: string | null
  attempts: number
  written_at: Date
  since: Date
  next_at: Date
}

const MOST = 200

/** Messages of the outbox that their recipient refuses whenever they come, the oldest first. */
export async function listRefused<T>(db: Db<T>): Promise<RefusedMessage[]> {
  const { rows } = await db.executeQuery<RefusedMessage>(
    CompiledQuery.raw(
      `select id::text, topic, key, refused_code as code, last_error as detail, attempts,
         created_at as written_at, refused_at as since, next_at
       from outbox where refused_at is not null and delivered_at is null
       order by refused_at, id limit ${MOST}`,
    ),
  )
  return rows
}

/** Has a refused message sent again now, unless it is on its way; the outbox wakes. Null: it is not refused, or not any more. */
export async function retryRefused<T>(
  tx: Db<T>,
  id: string,
): Promise<Pick<RefusedMessage, 'topic' | 'key' | 'code'> | null> {
  const { rows } = await tx.executeQuery<Pick<RefusedMessage, 'topic' | 'key' | 'code'>>(
    CompiledQuery.raw(
      `update outbox set next_at = case when ${NOT_LEASED} then now() else next_at end
       where id::text = $1 and refused_at is not null and delivered_at is null
       returning topic, key, refused_code as code, pg_notify('outbox', topic)`,
      [id],
    ),
  )
  return rows[0] ?? null
}
