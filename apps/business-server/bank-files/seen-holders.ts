import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { partyDigest } from '../people/compliance/velocity.ts'
import type { Tables } from '../tables.ts'
import { openLine } from './lines.ts'

/** An account of two holders may have as many names. */
const MOST_LINES = 20

/** Who holds an account by the bank's statements, the newest first: of money that came from it, its own bank told the name. */
export async function seenHolders(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  account: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('bank_lines')
    .select(['id', 'sealed'])
    .where('payer_digest', '=', await partyDigest({ sealer }, tx, account))
    .orderBy('created_at', 'desc')
    .limit(MOST_LINES)
    .execute()
  return rows.map(row => openLine(sealer, row).name).filter(holder => holder !== null)
}
