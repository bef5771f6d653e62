import { amountOf, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import type { Deps } from '../deps.ts'
import type { BusinessDatabase } from '../database.ts'
import { reservedAmount } from './queries.ts'

export interface Treasury {
  /** What the distribution account holds of the asset. */
  balance: Amount
  reserved: Amount
  /** Never below zero. */
  capacity: Amount
}

/** What can still be promised. Throws `LedgerError` where the ledger does not answer. */
export async function readTreasury(deps: Deps): Promise<Treasury> {
  // The sum before the balance: a payment that ends in between counts twice then, and never not at all.
  const reserved = await promised(deps.database.db)
  const balance = await assetBalance(deps)
  const free = subtract(balance, reserved)
  return { balance, reserved, capacity: free > 0n ? free : amountOf(0n) }
}

const promised = async (db: Db<BusinessDatabase>) => parseAmount(await reservedAmount(db))

/** What the distribution account holds of the asset. Throws `LedgerError` where the ledger does not answer. */
export async function assetBalance({ config, horizon }: Pick<Deps, 'config' | 'horizon'>): Promise<Amount> {
  const { accounts, plan } = config.anchor
  const account = await horizon.account(accounts.distribution)
  const line = account?.balances.find(({ asset }) => asset === `${plan.asset.code}:${accounts.issuer}`)
  return line ? parseAmount(line.balance) : amountOf(0n)
}
