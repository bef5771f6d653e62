import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { scoreOf } from './names/score.ts'
import { wordsOf } from './names/words.ts'

/** Below it two names are not of one holder: initials and another spelling score more. */
const SAME_HOLDER = 0.7

/**
 * Who holds an account by the bank's statements, where none of these names is clearly theirs. Null: no statement names a
 * holder, or one of them is alike.
 *
 * @param names of whom is to be paid; none: nobody knows who that is, so any holder of the account is another one.
 */
export async function otherHolder(
  deps: Pick<Deps, 'sealer' | 'seenHolders'>,
  tx: Db<Tables>,
  { names, account }: { names: readonly string[]; account: string },
): Promise<string | null> {
  const holders = await deps.seenHolders(deps, tx, account)
  const wanted = names.map(wordsOf)
  const isOne = holders.some(holder => wanted.some(name => scoreOf(name, wordsOf(holder)) >= SAME_HOLDER))
  return isOne ? null : (holders[0] ?? null)
}
