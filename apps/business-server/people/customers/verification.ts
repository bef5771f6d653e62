import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

/** How long a session at the provider is continued before a new one is opened. */
const SESSION_MINUTES = 60

/** The provider's hosted page for a customer; a recent session is continued. */
export async function startVerification(
  { customerRegistry, database }: Deps,
  centralId: string,
  returnUrl: string | undefined,
): Promise<string> {
  const open = await database.db
    .selectFrom('kyc_sessions')
    .select('url')
    .where('central_id', '=', centralId)
    .where('created_at', '>', sql<Date>`now() - ${sql.raw(`interval '${SESSION_MINUTES} minutes'`)}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('kyc_statuses')
            .select('central_id')
            .whereRef('kyc_statuses.session_id', '=', 'kyc_sessions.session_id'),
        ),
      ),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  if (open) return open.url
  const session = await customerRegistry.startSession(centralId, returnUrl)
  const row = { session_id: session.sessionId, central_id: centralId, url: session.url }
  await database.db.insertInto('kyc_sessions').values(row).execute()
  return session.url
}

/** Whether a session at the provider is open. */
export async function isVerifying(db: Db<Tables>, centralId: string): Promise<boolean> {
  const session = await db
    .selectFrom('kyc_sessions')
    .leftJoin('kyc_statuses', 'kyc_statuses.session_id', 'kyc_sessions.session_id')
    .select('kyc_sessions.session_id')
    .where('kyc_sessions.central_id', '=', centralId)
    .where('kyc_statuses.central_id', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return session !== undefined
}
