import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { ReadChallenge } from '@windlass/stellar/sep10-challenge.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'

/**
 * An account that named one of its customers by memo or muxed account is kept as one that many share. Throws 400 where it
 * names none later and the operator does not take that (SEP-10): it could be anyone of them.
 */
export async function checkSharedAccount(
  { database: { db }, terms }: Pick<Deps, 'database' | 'terms'>,
  { account, memo }: Pick<ReadChallenge, 'account' | 'memo'>,
): Promise<void> {
  const shared = { account: baseAccount(account) }
  if (memo !== null || account !== shared.account) {
    await db
      .insertInto('shared_accounts')
      .values(shared)
      .onConflict(conflict => conflict.column('account').doNothing())
      .execute()
    return
  }
  if ((await terms.current()).wallets?.mixedMemos !== false) return
  const known = await db
    .selectFrom('shared_accounts')
    .select('account')
    .where('account', '=', shared.account)
    .executeTakeFirst()
  if (known)
    throw badRequest('the account signed in with a memo before; sign in with the memo of one customer')
}
