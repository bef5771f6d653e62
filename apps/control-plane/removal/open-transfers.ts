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
  const states = [...ENDED, ...NOT_BEGUN]
  const text = 'select count(*) as open from business.transfers where state <> all($1)'
  const [row] = await askAnchor<{ open: string }>(deps, { anchorId, vault }, text, [states])
  return Number(row?.open ?? 0)
}

/**
 * What an anchor owes by its journal, by unit: units of its own issue that others hold, what is owed to customers or is to be
 * returned, and customers' money that nobody claimed. Units that were too little to be returned are not counted.
 */
export function listOwed(
  deps: Deps,
  anchorId: string,
  vault: Vault,
): Promise<{ unit: string; amount: string }[]> {
  return askAnchor(
    deps,
    { anchorId, vault },
    `with balances as (
       select unit, account, sum(amount) as amount from business.journal_lines
       where account in ('issued', 'treasury', 'cold', 'customers', 'suspense', 'unclaimed') group by 1, 2),
     owed as (
       select unit, -sum(amount) as amount from balances where account in ('issued', 'treasury', 'cold')
         and unit in (select unit from balances where account = 'issued') group by 1
       union all select unit, -amount from balances where account in ('customers', 'suspense')
       union all select unit, -amount from balances where account = 'unclaimed' and unit ~ '^[A-Z]{3}$')
     select unit, trim_scale(sum(amount))::text as amount from owed where amount > 0 group by 1 order by 1`,
  )
}

async function askAnchor<Row extends pg.QueryResultRow>(
  deps: Deps,
  { anchorId, vault }: { anchorId: string; vault: Vault },
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  if (!(await databaseExists(deps, anchorId))) return []
  const { secret } = await vault.get(deps.database.db, 'database')
  const client = new pg.Client({
    connectionString: anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, { password: secret }),
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return []
    throw error
  } finally {
    await client.end()
  }
}
