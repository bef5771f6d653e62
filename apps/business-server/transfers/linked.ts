import { add, amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { worthIn } from '../money/pricing/worth.ts'
import { accountsOf, personOf } from '../people/customers/tiers.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'
import { openDestination } from './destination.ts'

/** So many of one person and day are looked at. */
const MOST = 500

/**
 * The worth of a transfer in units of the first asset's currency, with what the same person sent to the same beneficiary
 * within a day before; null: of one of them there is no rate.
 */
export async function linkedWorth(
  deps: Pick<Deps, 'config' | 'sealer' | 'clock'>,
  db: Db<Tables>,
  transfer: Transfer,
): Promise<Amount | null> {
  const to = beneficiaryOf(deps, transfer)
  const linked = (await lately(deps, db, transfer)).filter(each => beneficiaryOf(deps, each) === to)
  let worth = amountOf(0n)
  for (const { amount, asset } of [transfer, ...linked]) {
    if (amount === null) continue
    const { anchor } = deps.config
    const each = worthIn(
      deps.config,
      parseAmount(amount),
      servedAsset(anchor, asset).anchoredTo,
      servedAsset(anchor, null).anchoredTo,
    )
    if (each === null) return null
    worth = add(worth, each)
  }
  return worth
}

function beneficiaryOf({ sealer }: Pick<Deps, 'sealer'>, transfer: Transfer): string {
  const { direction, stellar_account: account, memo, receiver_id: receiver } = transfer
  if (direction === 'deposit') return JSON.stringify([account, memo])
  if (receiver !== null) return JSON.stringify([receiver])
  const { dest = '', dest_extra = '' } = openDestination(sealer, transfer)
  return JSON.stringify([dest, dest_extra])
}

/** The person's other transfers of a day that were agreed and have not failed. */
async function lately(
  { clock }: Pick<Deps, 'clock'>,
  db: Db<Tables>,
  { id, sep, direction, account, account_memo: memo, customer_id: sender }: Transfer,
): Promise<Transfer[]> {
  const since = new Date(clock.now().getTime() - 86_400_000)
  const person = sep === '31' ? null : (await personOf(db, account, memo)).id
  const accounts = JSON.stringify(await accountsOf(db, account, memo, person))
  const isTheirs =
    sep === '31'
      ? sql<boolean>`sep = '31' and customer_id = ${sender}`
      : sql<boolean>`sep <> '31' and exists (
          select from json_to_recordset(${accounts}) as a (account text, memo text)
          where a.account = transfers.account and a.memo is not distinct from transfers.account_memo)`
  return db
    .selectFrom('transfers')
    .selectAll()
    .where('id', '<>', id)
    .where('direction', '=', direction)
    .where('created_at', '>', since)
    .where('amount', 'is not', null)
    .where('state', 'in', [
      'awaiting_funds',
      'funded',
      'awaiting_trust',
      'paying_out',
      'completed',
      'sent_back',
    ])
    .where(isTheirs)
    .orderBy('created_at', 'desc')
    .limit(MOST)
    .execute()
}
