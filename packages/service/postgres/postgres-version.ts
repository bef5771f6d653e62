import type pg from 'pg'

/** What Debian 12 has, and the oldest one that is tested. */
export const OLDEST_POSTGRES = 15

/**
 * The version of the server, such as `15.18`.
 *
 * @throws {Error} where it is older than what is supported.
 */
export async function requireSupportedPostgres(client: Pick<pg.Client | pg.Pool, 'query'>): Promise<string> {
  const { rows } = await client.query<{ number: number; version: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  )
  const { number = 0, version = 'an unknown version' } = rows[0] ?? {}
  if (Math.floor(number / 10_000) >= OLDEST_POSTGRES) return version
  throw new Error(
    `This is Postgres ${version}, and Windlass needs ${OLDEST_POSTGRES} or newer. Upgrade it (pg_upgrade), then start again.`,
  )
}
