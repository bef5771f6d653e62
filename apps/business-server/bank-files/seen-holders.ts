import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { partyDigest } from '../people/compliance/velocity.ts'
import { scoreOf } from '../people/compliance/names/score.ts'
import { wordsOf } from '../people/compliance/names/words.ts'
import type { Tables } from '../tables.ts'
import { openLine } from './lines.ts'

/** Below it two names are not of one holder: initials and another spelling score more. */
const SAME_HOLDER = 0.7
/** An account of two holders may have as many names. */
const MOST_LINES = 20

/**
 * Who holds an account by the bank's statements, where that is clearly not the name that is to be paid: of money that came from
 * it, its own bank told the name. Null: no statement names a holder, or one of them is alike.
 */
export async function otherHolder(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  { name, account }: { name: string; account: string },
): Promise<string | null> {
  const rows = await tx
    .selectFrom('bank_lines')
    .select(['id', 'sealed'])
    .where('payer_digest', '=', await partyDigest({ sealer }, tx, account))
    .orderBy('created_at', 'desc')
    .limit(MOST_LINES)
    .execute()
  const holders = rows.map(row => openLine(sealer, row).name).filter(holder => holder !== null)
  const wanted = wordsOf(name)
  const isOne = holders.some(holder => scoreOf(wanted, wordsOf(holder)) >= SAME_HOLDER)
  return isOne ? null : (holders[0] ?? null)
}
