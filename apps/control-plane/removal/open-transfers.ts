import pg from 'pg'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { anchorDatabaseUrl, databaseExists } from '../servers/database.ts'

/** States in which nobody waits for the transfer. */
const ENDED = ['completed', 'returned', 'expired', 'failed']
/** States in which nothing is agreed or paid yet. */
const NOT_BEGUN = ['new', 'identifying']
const NO_SUCH_TABLE = '42P01'

/** How many of an anchor's transfers are open: money may be on its way. */
export async function countOpenTransfers(deps: Deps, anchorId: string, vault: Vault): Promise<number> {
  if (!(await databaseExists(deps, anchorId))) return 0
  const { secret } = await vault.get(deps.database.db, 'database')
  const client = new pg.Client({
    connectionString: anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, { password: secret }),
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ open: string }>(
      'select count(*) as open from business.transfers where state <> all($1)',
      [[...ENDED, ...NOT_BEGUN]],
    )
    return Number(rows[0]?.open ?? 0)
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return 0
    throw error
  } finally {
    await client.end()
  }
}
