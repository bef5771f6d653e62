import {
  idOf,
  isNative,
  servedAssets,
  servesXlm,
  type AssetKey,
  type ServedAsset,
} from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { readScalar, scalar } from '@windlass/service/postgres/scalars.ts'
import {
  availableBalance,
  receiveFault,
  spendableXlm,
  type HorizonAccount,
} from '@windlass/stellar/horizon-account.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import type { TopUp } from '../journal/ledger-entries.ts'

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
/** What one customer or one wallet application may hold of the balance beyond the first: one part in so many. */
export const CUSTOMER_SHARE = 10n
export const CLIENT_SHARE = 4n
/** XLM beyond the reserves that is kept for fees where customers are paid in XLM. */
const KEPT_FOR_FEES = parseAmount('2')

/** Treasury of one asset. */
export interface Treasury {
  asset: ServedAsset
  /** What the distribution account holds of it, open offers aside. */
  balance: Amount
  /** What of it can be paid: all, but of XLM neither the account's reserves nor what is kept for fees. */
  payable: Amount
  /** Why it cannot use the asset; null: it can. */
  fault: 'no-trustline' | 'not-authorized' | null
  reserved: Amount
  /** What can still be reserved. Never below zero. */
  capacity: Amount
  /** The distribution account. */
  account: HorizonAccount | null
}

/** Reads the treasury of every asset, the first one first. Throws {@link LedgerError} where the ledger does not answer. */
export async function readTreasuries(
  deps: Deps,
  db: Db<Tables> = deps.database.db,
): Promise<[Treasury, ...Treasury[]]> {
  return treasuriesBeside(deps, await readScalar(db, reservedAmounts))
}

/**
 * As {@link readTreasuries}, with sums that were read before. Balances are read after the sums: a payment that ends in
 * between counts twice then, instead of not at all.
 */
export async function treasuriesBeside(
  deps: Deps,
  sums: ReadonlyMap<AssetKey, Amount>,
): Promise<[Treasury, ...Treasury[]]> {
  const { anchor } = deps.config
  const read = await readDistribution(deps)
  const treasuryOf = (asset: ServedAsset): Treasury => {
    const reserved = sums.get(asset.key) ?? amountOf(0n)
    const holding = holdingOf(asset, read)
    const free = holding.fault ? amountOf(0n) : subtract(holding.payable, reserved)
    return { ...holding, reserved, capacity: free > 0n ? free : amountOf(0n) }
  }
  const [first, ...further] = servedAssets(anchor)
  return [treasuryOf(first), ...further.map(treasuryOf)]
}

/** Reads the treasury of one asset. Throws {@link LedgerError} where the ledger does not answer. */
export async function readTreasury(deps: Deps, asset: AssetKey, db?: Db<Tables>): Promise<Treasury> {
  return found(await readTreasuries(deps, db), asset)
}

export type Holding = Pick<Treasury, 'asset' | 'balance' | 'payable' | 'fault' | 'account'>

/** The distribution account's part of the treasuries. Throws {@link LedgerError} where the ledger does not answer. */
export async function readHoldings(deps: Pick<Deps, 'config' | 'horizon'>): Promise<Holding[]> {
  const read = await readDistribution(deps)
  return servedAssets(deps.config.anchor).map(asset => holdingOf(asset, read))
}

interface Distribution {
  account: HorizonAccount | null
  /** Stroops; 0 where XLM is not served. */
  baseReserve: bigint
}

async function readDistribution({
  config: { anchor },
  horizon,
}: Pick<Deps, 'config' | 'horizon'>): Promise<Distribution> {
  const [account, baseReserve] = await Promise.all([
    horizon.account(anchor.accounts.distribution),
    servesXlm(anchor) ? horizon.head().then(head => head.baseReserve) : 0n,
  ])
  return { account, baseReserve }
}

export const readHolding = async (
  deps: Pick<Deps, 'config' | 'horizon'>,
  asset: AssetKey,
): Promise<Holding> => found(await readHoldings(deps), asset)

/** What the distribution account can pay of an asset. Throws {@link LedgerError} where the ledger does not answer. */
export const payableBalance = async (
  deps: Pick<Deps, 'config' | 'horizon'>,
  asset: AssetKey,
): Promise<Amount> => (await readHolding(deps, asset)).payable

/** What the distribution account holds of an asset. Throws {@link LedgerError} where the ledger does not answer. */
export const assetBalance = async (
  deps: Pick<Deps, 'config' | 'horizon'>,
  asset: AssetKey,
): Promise<Amount> => (await readHolding(deps, asset)).balance

function holdingOf(asset: ServedAsset, { account, baseReserve }: Distribution): Holding {
  const fault = receiveFault(account, idOf(asset), amountOf(0n))
  const balance = availableBalance(account, idOf(asset))
  const spendable = account && isNative(asset) ? spendableXlm(account, baseReserve) - KEPT_FOR_FEES : balance
  return {
    ...{ asset, account, balance, payable: amountOf(spendable > 0n ? spendable : 0n) },
    fault: fault === 'not-authorized' ? fault : fault && 'no-trustline',
  }
}

function found<Of extends { asset: ServedAsset }>(all: readonly Of[], key: AssetKey): Of {
  const one = all.find(({ asset }) => asset.key === key)
  if (!one) throw new Error(`the anchor does not serve ${key ?? 'a first asset'}`)
  return one
}

/** By the database's clock. */
export const reservedAmounts = scalar(
  sql<[AssetKey, string][] | null>`
    select json_agg(json_build_array(asset, total)) from (
      select asset, sum(amount)::text as total from reservations
      where expires_at is null or expires_at > now() group by asset) as sums`,
  (sums): ReadonlyMap<AssetKey, Amount> =>
    new Map(sums?.map(([asset, total]) => [asset, parseAmount(total)])),
)

interface Reservation {
  /** Replaces a reservation under the same id. */
  id: string
  asset: AssetKey
  amount: Amount
  expiresAt: Date | null
}

/**
 * Reserves asset units under an id, in the caller's transaction; one at a time, so that two cannot reserve the same
 * units. Throws {@link CapacityError}.
 */
export async function reserve(deps: Deps, tx: Db<Tables>, wanted: Reservation): Promise<void> {
  await sql`select pg_advisory_xact_lock(727002)`.execute(tx)
  await release(tx, wanted.id)
  const { capacity, payable, fault } = await readTreasury(deps, wanted.asset, tx)
  if (capacity < wanted.amount) throw new CapacityError(fault ? FROZEN : payable === 0n ? EMPTY : undefined)
  await hold(tx, { ...wanted, amount: formatAmount(wanted.amount) })
}

/** What is reserved of an asset under these ids at the moment. */
export async function reservedUnder(
  tx: Db<Tables>,
  ids: readonly string[],
  asset: AssetKey,
): Promise<Amount> {
  if (ids.length === 0) return amountOf(0n)
  const row = await tx
    .selectFrom('reservations')
    .select(sql<string>`coalesce(sum(amount), 0)`.as('total'))
    .where('id', 'in', ids)
    .where('asset', 'is not distinct from', asset)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow()
  return parseAmount(row.total)
}

/** Reserves without asking what is free: for payments that are owed already. Replaces one under the same id. */
export async function hold(
  tx: Db<Tables>,
  { id, asset, amount, expiresAt }: Omit<Reservation, 'amount'> & { amount: string },
): Promise<void> {
  const columns = { asset, amount, expires_at: expiresAt }
  await tx
    .insertInto('reservations')
    .values({ id, ...columns })
    .onConflict(conflict => conflict.column('id').doUpdateSet(columns))
    .execute()
}

/** Ends reservations. */
export async function release(tx: Db<Tables>, ...ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('reservations').where('id', 'in', ids).execute()
}

/** Deletes reservations that nothing ended before their time did, such as those of quotes that nobody used. */
export async function pruneReservations(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('reservations')
    .where('expires_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute()
}

/** What a wallet has to add to a payment by which the operator tops the account up (SEP-29). */
export const TOP_UP_MEMO = 'top-up'

/** Where units were by which the operator tops the treasury up; null: the payment is no top-up. */
export async function topUpFrom(
  tx: Db<Tables>,
  {
    served,
    sender,
    memo,
    memoType,
  }: { served: ServedAsset | null; sender: string; memo: string | null; memoType: string },
): Promise<TopUp | null> {
  if (served === null) return null
  if (await isColdAccount(tx, served.key, sender)) return 'cold'
  return !served.isOwn && memoType === 'text' && memo === TOP_UP_MEMO ? 'capital' : null
}

/** Whether the account is or was the cold account of an asset: what it sends of it is a top-up. */
export async function isColdAccount(db: Db<Tables>, asset: AssetKey, account: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('treasury_settings')
      .select('version')
      .where('asset', 'is not distinct from', asset)
      .where('cold_account', '=', account),
  )
}
