import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../../deps.ts'
import { personOf } from '../../people/customers/tiers.ts'
import type { Tables, Transfer } from '../../tables.ts'

/** A wallet on the ledger: one account may be many people's, by a memo. */
export interface Wallet {
  account: string
  memo: string | null
}

/** The wallet that a transfer is paid to, or comes from. */
export const walletOf = ({ stellar_account: account, memo, account_memo, direction }: Transfer): Wallet => ({
  account,
  memo: direction === 'deposit' ? memo : account_memo,
})

/** By what a wallet is known to be the customer's; null: it is not known to be. */
export async function provenBy(
  db: Db<Tables>,
  transfer: Pick<Transfer, 'account' | 'account_memo'>,
  wallet: Wallet,
): Promise<'wallet-login' | 'wallet-proof' | null> {
  const { account, account_memo: memo } = transfer
  // Who signs in without a memo has the account with every memo.
  const isWhole = memo === null || memo === wallet.memo
  if (wallet.account === account && isWhole) return 'wallet-login'
  if (memo === null && account.startsWith('G') && baseAccount(wallet.account) === account)
    return 'wallet-login'
  const self = await personOf(db, account, memo)
  if (!self.isProven) return null
  const other = await personOf(db, wallet.account, wallet.memo)
  if (other.isProven && other.id === self.id) return 'wallet-proof'
  const query = db.selectFrom('wallet_owners').select('person').where('account', '=', wallet.account)
  const owner = wallet.memo === null ? await query.executeTakeFirst() : undefined
  return owner !== undefined && owner.person === self.id ? 'wallet-proof' : null
}

/** Asks the platform who proved the wallet, unless that is known, and notes it. Not in a transaction. */
export async function noteOwner(
  { database: { db }, customerRegistry, clock, logger }: Deps,
  transfer: Pick<Transfer, 'account' | 'account_memo'>,
  wallet: Wallet,
): Promise<void> {
  if (wallet.memo !== null || (await provenBy(db, transfer, wallet)) !== null) return
  try {
    const owner = await customerRegistry.byWallet(wallet.account, async () => null)
    if (!owner?.walletVerified) return
    const row = { account: wallet.account, person: owner.customerId, at: clock.now() }
    await db
      .insertInto('wallet_owners')
      .values(row)
      .onConflict(conflict => conflict.column('account').doUpdateSet(row))
      .execute()
  } catch (error) {
    logger.warn({ err: error }, 'the customer registry does not answer')
  }
}

/** Removes those that were noted before. @returns how many. */
export async function removeOwnersBefore(tx: Db<Tables>, before: Date): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('wallet_owners').where('at', '<', before).executeTakeFirst()
  return Number(numDeletedRows)
}
