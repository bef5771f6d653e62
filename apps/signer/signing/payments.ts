import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { lockAnchor } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { Refusal } from './refusal.ts'
import type { FurtherAsset } from './served-assets.ts'
import type { UsedSequence } from './transactions.ts'

/** Each claimable balance holds a reserve: this bounds the XLM that they hold. */
const CLAIMABLE_PER_HOUR = 2_000
/** XLM that fees may come to: bounds what is burned. */
const FEES_PER_HOUR = parseAmount('200')
/** Bounds the rows. */
const PAYMENTS_PER_HOUR = 50_000

/** What a transaction pays. */
export interface Paid {
  amount: Amount
  /** `own`: the anchor's first asset; `CODE:ISSUER`: a further one. */
  asset: 'own' | 'xlm' | FurtherAsset
  isClaimable: boolean
}

export const PAYS_NOTHING: Paid = { amount: amountOf(0n), asset: 'own', isClaimable: false }

/** A transaction as it counts against the limits. */
export type CountedPayment = UsedSequence & Paid

/** Sums of the last hour in stroops: what was signed with other sequence numbers, and with this one. */
interface LastHour {
  amount: string
  /** Amount of the further asset that is paid; 0 where it is another one. */
  further: string
  xlm: string
  fee: string
  count: number
  claimable: number
  same_amount: string
  /** By asset. */
  same_further: Record<string, string>
  same_xlm: string
  same_fee: string
  same_claimable: boolean
}

/**
 * Counts a payment before it is signed. Of payments with the same sequence number of the same account the ledger
 * applies one: the largest counts. Throws {@link Refusal} where the payment exceeds a limit.
 */
export async function countPayment(
  { database }: Pick<Deps, 'database'>,
  anchorId: string,
  payment: CountedPayment,
): Promise<void> {
  const { source, sequence, isClaimable, asset } = payment
  await database.db.transaction().execute(async tx => {
    const { limits } = await lockAnchor(tx, anchorId)
    const same = sql`(source, sequence) = (${source}, ${sequence}::numeric)`
    const { rows } = await sql<LastHour>`
      select coalesce(sum(amount) filter (where not ${same}), 0)::text as amount,
        coalesce(sum((further ->> ${asset}::text)::numeric) filter (where not ${same}), 0)::text as further,
        coalesce(sum(xlm) filter (where not ${same}), 0)::text as xlm,
        coalesce(sum(fee) filter (where not ${same}), 0)::text as fee,
        count(*) filter (where not ${same})::int as count,
        count(*) filter (where claimable and not ${same})::int as claimable,
        coalesce(max(amount) filter (where ${same}), 0)::text as same_amount,
        coalesce((array_agg(further) filter (where ${same}))[1], '{}') as same_further,
        coalesce(max(xlm) filter (where ${same}), 0)::text as same_xlm,
        coalesce(max(fee) filter (where ${same}), 0)::text as same_fee,
        coalesce(bool_or(claimable) filter (where ${same}), false) as same_claimable
      from payments where anchor_id = ${anchorId} and signed_at > clock_timestamp() - interval '1 hour'`.execute(
      tx,
    )
    const [lastHour] = rows
    if (!lastHour) throw new Error('the sums of an hour are missing')
    const isFurther = asset !== 'own' && asset !== 'xlm'
    const own = {
      amount: larger(lastHour.same_amount, asset === 'own' ? payment.amount : 0n),
      further: larger(lastHour.same_further[asset] ?? '0', isFurther ? payment.amount : 0n),
      xlm: larger(lastHour.same_xlm, asset === 'xlm' ? payment.amount : 0n),
      fee: larger(lastHour.same_fee, payment.fee),
    }
    requireWithin(limits, payment, lastHour, own)
    const counted = {
      amount: String(own.amount),
      further: JSON.stringify({
        ...lastHour.same_further,
        ...(isFurther ? { [asset]: String(own.further) } : {}),
      }),
      xlm: String(own.xlm),
      fee: String(own.fee),
      claimable: isClaimable || lastHour.same_claimable,
    }
    await tx
      .insertInto('payments')
      .values({ anchor_id: anchorId, source, sequence, ...counted })
      .onConflict(conflict =>
        conflict
          .columns(['anchor_id', 'source', 'sequence'])
          .doUpdateSet({ ...counted, signed_at: sql<Date>`clock_timestamp()` }),
      )
      .execute()
  })
}

const larger = (one: string, other: bigint): bigint => (BigInt(one) > other ? BigInt(one) : other)

function requireWithin(
  limits: SigningLimits,
  { amount, asset, isClaimable }: CountedPayment,
  lastHour: LastHour,
  own: Record<'amount' | 'further' | 'xlm' | 'fee', bigint>,
): void {
  const [perHour, signed] = {
    own: [limits.perHour, BigInt(lastHour.amount) + own.amount] as const,
    xlm: [limits.xlmPerHour, BigInt(lastHour.xlm) + own.xlm] as const,
  }[asset as string] ?? [furtherLimit(limits, asset), BigInt(lastHour.further) + own.further]
  const total = amountOf(signed)
  const unit = { own: '', xlm: ' XLM' }[asset as string] ?? ` ${asset.split(':')[0]}`
  const what = `This payment of ${formatAmount(amount)}${unit}`
  if (asset !== 'xlm' && limits.perPayment !== null && amount > parseAmount(limits.perPayment)) {
    throw new Refusal('per-payment', `${what} exceeds the limit of ${limits.perPayment}.`)
  }
  if (amount > 0n && total > parseAmount(perHour)) {
    const reason = asset === 'xlm' ? 'xlm-per-hour' : 'per-hour'
    throw new Refusal(
      reason,
      `${what} would bring the last hour to ${formatAmount(total)}. The limit is ${perHour}.`,
    )
  }
  if (lastHour.count >= PAYMENTS_PER_HOUR) {
    throw new Refusal('payments-per-hour', `${PAYMENTS_PER_HOUR} payments were signed in the last hour.`)
  }
  if (isClaimable && lastHour.claimable >= CLAIMABLE_PER_HOUR) {
    throw new Refusal(
      'payments-per-hour',
      `${CLAIMABLE_PER_HOUR} claimable balances were signed in the last hour.`,
    )
  }
  const fees = BigInt(lastHour.fee) + own.fee
  if (fees > FEES_PER_HOUR) {
    throw new Refusal(
      'xlm-per-hour',
      `The fees of the last hour would come to ${formatAmount(amountOf(fees))} XLM. The limit is ${formatAmount(FEES_PER_HOUR)}.`,
    )
  }
}

const furtherLimit = ({ further = [] }: SigningLimits, asset: string): string =>
  further.find(each => each.asset === asset)?.perHour ?? '0'

/** Units of an asset that were signed for in the last hour: of the first one (`own`), or of a further one. */
export async function sumLastHour(db: Db<Tables>, anchorId: string, asset: string): Promise<string> {
  const units = asset === 'own' ? sql`amount` : sql`(further ->> ${asset}::text)::numeric`
  const { rows } = await sql<{ units: string }>`
    select coalesce(sum(${units}), 0)::text as units from payments
    where anchor_id = ${anchorId} and signed_at > clock_timestamp() - interval '1 hour'`.execute(db)
  return formatAmount(amountOf(BigInt(rows[0]?.units ?? '0')))
}

/** Removes payments that count no more. */
export async function prunePayments(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('payments')
    .where('signed_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
}
