import type { PlatformDb } from '../database.ts'

/** The active anchor of a home domain with its SEP-10 key; null where there is none. */
export async function activeSigner(
  db: PlatformDb,
  homeDomain: string,
): Promise<{ id: string; signingKey: string } | null> {
  const row = await db
    .selectFrom('anchors')
    .select(['id', 'signing_key as signingKey'])
    .where('home_domain', '=', homeDomain)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return row?.signingKey ? { id: row.id, signingKey: row.signingKey } : null
}
