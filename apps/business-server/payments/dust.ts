import { add, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordLedgerReceipt } from '../money/journal/ledger-entries.ts'
import { bookOn } from '../money/journal/journal.ts'
import { journalDay } from '../money/journal/settings.ts'
import { isOwnIssuer } from '../money/pricing/asset.ts'
import { leastAmountEver } from '../money/settings/settings.ts'
import { isColdAccount } from '../money/treasury/treasury.ts'
import type { LedgerAsset, Tables } from '../tables.ts'
import { countResets } from './incidents.ts'
import type { IncomingPayment } from './incoming-payment.ts'

/** Less XLM than this is not refunded: a thousand times the usual fee. */
const XLM_DUST = parseAmount('0.01')
/** Less than this part of the smallest transaction is not refunded: sending it is almost free, and each refund costs a fee. */
const DUST_SHARE = 100n

/** What is less is not sent back. */
export const leastReturned = ({ anchor }: Deps['config'], native: boolean): bigint =>
  native ? XLM_DUST : parseAmount(anchor.plan.limits.min) / DUST_SHARE

/** What is less of a served asset is dust: no transaction could ever have asked for it. */
export const leastOfPayments = async (deps: Deps, db: Db<Tables>): Promise<bigint> =>
  (await leastAmountEver(deps, db)) / DUST_SHARE

/**
 * Tells dust from payments, for one page: what is so small that no transaction could ever have asked for it, and nothing
 * follows from it, with any memo and from any sender. What a call of a contract brings is sent back by another call, so
 * that it is dust where it is less than any transaction.
 */
export async function dustFinder(
  deps: Deps,
  tx: Db<Tables>,
): Promise<(payment: IncomingPayment, byCall?: boolean) => Promise<boolean>> {
  const { anchor } = deps.config
  const least = await leastOfPayments(deps, tx)
  const own = new Map<string, Promise<boolean>>()
  const isOwn = ({ asset, sender }: IncomingPayment): Promise<boolean> => {
    const key = `${asset}:${sender}`
    const known = own.get(key) ?? ownsUnits(deps, tx, asset, sender)
    own.set(key, known)
    return known
  }
  return async (payment, byCall = false) => {
    const floor = byCall ? least * DUST_SHARE : least
    const isSmall = payment.units < (payment.asset === 'native' ? XLM_DUST : floor)
    return isSmall && payment.sender !== anchor.accounts.distribution && !(await isOwn(payment))
  }
}

/** Whether the sender is the issuer or the cold account: the journal has an account for their units. */
async function ownsUnits(
  { config }: Deps,
  tx: Db<Tables>,
  asset: LedgerAsset,
  sender: string,
): Promise<boolean> {
  if (asset === 'native') return false
  return (asset === null && isOwnIssuer(config.anchor, sender)) || isColdAccount(tx, asset, sender)
}

/** Counts a page's dust, in the caller's transaction, which moves the observer on: in one statement, however much it is. */
export async function countDust(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  found: readonly IncomingPayment[],
): Promise<void> {
  const dust = await withoutCounted(deps, tx, found)
  const last = dust.at(-1)
  if (!last) return
  const day = await journalDay(tx, last.closedAt)
  const sums = [...Map.groupBy(dust, ({ asset }) => asset)].map(([asset, found]) => {
    const units = found.reduce((sum, each) => add(sum, each.units), amountOf(0n))
    return { asset, units, payments: String(found.length) }
  })
  await tx
    .insertInto('ledger_dust')
    .values(sums.map(({ units, ...sum }) => ({ ...sum, day, amount: formatAmount(units) })))
    .onConflict(conflict =>
      conflict.columns(['day', 'asset']).doUpdateSet({
        payments: sql`ledger_dust.payments + excluded.payments`,
        amount: sql`ledger_dust.amount + excluded.amount`,
      }),
    )
    .execute()
  await bookOn(tx, { bookedOn: day })
  const resets = await countResets(tx)
  for (const { asset, units } of sums) {
    if (asset === 'native') continue
    const id = `dust:${last.hash}:${last.id}:${resets}:${asset ?? ''}`
    await recordLedgerReceipt(tx, { id, asset, units, transferId: null, to: 'unclaimed' })
  }
}

/** Those that are newer than what was counted; what is read again is not counted again. They count from now on. */
async function withoutCounted(
  { config }: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  found: readonly IncomingPayment[],
): Promise<IncomingPayment[]> {
  const account = config.anchor.accounts.distribution
  const row = await tx
    .selectFrom('observed')
    .select('dust_cursor')
    .where('account', '=', account)
    .executeTakeFirst()
  const counted = BigInt(row?.dust_cursor ?? 0)
  const dust = found.filter(({ id }) => BigInt(id) > counted)
  const dust_cursor = dust.reduce((most, { id }) => (BigInt(id) > most ? BigInt(id) : most), counted)
  if (dust.length === 0) return dust
  const nothing = { caught_up_at: null, ledger_sequence: null, ledger_hash: null, ledger_closed_at: null }
  const newest = { dust_cursor: String(dust_cursor) }
  await tx
    .insertInto('observed')
    .values({ account, cursor: '0', ...nothing, ...newest })
    .onConflict(conflict => conflict.column('account').doUpdateSet(newest))
    .execute()
  return dust
}
