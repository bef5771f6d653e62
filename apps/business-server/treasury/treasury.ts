import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { availableBalance, receiveFault, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** Nothing more can be reserved: the treasury holds too little, or the customer has reserved their share. */
export class CapacityError extends Problem {
  constructor(why = 'the anchor cannot pay out that much at the moment') {
    super('validation-failed', why)
  }
}

const EMPTY = 'the anchor cannot pay out at the moment: its treasury is empty'
const FROZEN = 'the anchor cannot pay out at the moment: the issuer has not authorized it to hold the asset'

/** How long a quote, or a deposit that nobody pays, holds capacity. */
export const RESERVED_SECONDS = 900
/** Of the balance (one part in so many), what one customer or one wallet application may hold beyond the first. */
export const CUSTOMER_SHARE = 10n
export const CLIENT_SHARE = 4n

export interface Treasury {
  /** What the distribution account holds of the asset, open offers aside. */
  balance: Amount
  /** Why it cannot use the asset; null: it can. */
  fault: 'no-trustline' | 'not-authorized' | null
  reserved: Amount
  /** What can still be reserved. Never below zero. */
  capacity: Amount
  /** The distribution account. */
  account: HorizonAccount | null
}

/** @throws {LedgerError} where the ledger does not answer. */
export async function readTreasury(deps: Deps, db: Db<Tables> = deps.database.db): Promise<Treasury> {
  // The sum before the balance: a payment that ends in between counts twice then, instead of not at all.
  const reserved = await reservedAmount(db)
  const holding = await readHolding(deps)
  const free = holding.fault ? amountOf(0n) : subtract(holding.balance, reserved)
  return { ...holding, reserved, capacity: free > 0n ? free : amountOf(0n) }
}

/** The distribution account's part of the treasury. Throws {@link LedgerError} where the ledger does not answer. */
export async function readHolding(
  deps: Pick<Deps, 'config' | 'horizon'>,
): Promise<Pick<Treasury, 'balance' | 'fault' | 'account'>> {
  const account = await deps.horizon.account(deps.config.anchor.accounts.distribution)
  return { account, balance: balanceIn(deps, account), fault: faultOf(deps, account) }
}

/** What the distribution account holds of the asset. Throws {@link LedgerError} where the ledger does not answer. */
export const assetBalance = async (deps: Pick<Deps, 'config' | 'horizon'>): Promise<Amount> =>
  (await readHolding(deps)).balance

const assetOf = ({ config: { anchor } }: Pick<Deps, 'config'>) =>
  `${anchor.plan.asset.code}:${anchor.accounts.issuer}`

const balanceIn = (deps: Pick<Deps, 'config'>, account: HorizonAccount | null): Amount =>
  availableBalance(account, assetOf(deps))

function faultOf(deps: Pick<Deps, 'config'>, account: HorizonAccount | null): Treasury['fault'] {
  const fault = receiveFault(account, assetOf(deps), amountOf(0n))
  return fault === 'not-authorized' ? fault : fault && 'no-trustline'
}

/** By the database's clock. */
async function reservedAmount(db: Db<Tables>): Promise<Amount> {
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(amount), 0) as total from reservations
    where expires_at is null or expires_at > now()`.execute(db)
  return parseAmount(rows[0]?.total ?? '0')
}

/**
 * Reserves asset units under an id, in the caller's transaction; one at a time, so that two cannot reserve the same
 * units. Replaces a reservation under the same id. Throws {@link CapacityError}.
 */
export async function reserve(
  deps: Deps,
  tx: Db<Tables>,
  id: string,
  amount: Amount,
  expiresAt: Date | null,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(727002)`.execute(tx)
  await release(tx, id)
  const { capacity, balance, fault } = await readTreasury(deps, tx)
  if (capacity < amount) throw new CapacityError(fault ? FROZEN : balance === 0n ? EMPTY : undefined)
  await hold(tx, id, formatAmount(amount), expiresAt)
}

/** What is reserved under these ids at the moment. */
export async function reservedUnder(tx: Db<Tables>, ids: readonly string[]): Promise<Amount> {
  if (ids.length === 0) return amountOf(0n)
  const row = await tx
    .selectFrom('reservations')
    .select(sql<string>`coalesce(sum(amount), 0)`.as('total'))
    .where('id', 'in', ids)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow()
  return parseAmount(row.total)
}

/** Reserves without asking what is free: for payments that are owed already. Replaces one under the same id. */
export async function hold(
  tx: Db<Tables>,
  id: string,
  amount: string,
  expiresAt: Date | null = null,
): Promise<void> {
  await tx
    .insertInto('reservations')
    .values({ id, amount, expires_at: expiresAt })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ amount, expires_at: expiresAt }))
    .execute()
}

/** Ends reservations. */
export async function release(tx: Db<Tables>, ...ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('reservations').where('id', 'in', ids).execute()
}
