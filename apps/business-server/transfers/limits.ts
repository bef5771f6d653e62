import type { AnchorSettings, Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import { add, amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { type RawBuilder, sql } from 'kysely'
import { samePersons } from '../people/customers/same-person.ts'
import { accountsOf, customerIdsOf, personOf, senderOf, tierOf } from '../people/customers/tiers.ts'
import { measuresFor, shareOf } from '../people/risk-rating/rate.ts'
import { currentSettings } from '../money/settings/settings.ts'
import type { Deps } from '../deps.ts'
import { tierOfSenders } from '../people/sending-anchors/agreements.ts'
import type { Tables, Transfer } from '../tables.ts'

const periods = [
  { limit: 'day', interval: '24 hours', days: '24 hours' },
  { limit: 'month', interval: '30 days', days: '30 days' },
] as const

const hasTierLimits = ({ limits }: AnchorSettings): boolean =>
  Object.values(limits.tiers).some(tier => Object.values(tier).some(limit => limit !== null))

type Of = Pick<Transfer, 'id' | 'sep' | 'asset' | 'account' | 'account_memo' | 'customer_id' | 'person'>

/** Whose limits count. */
interface Limited {
  /** Two transfers of one wait for each other. */
  key: string
  tier: Tier
  /** How much of the tier's limits they have. */
  limitPercent: number
  /** Their transfers. */
  own: RawBuilder<unknown>
}

async function limitedBy(deps: Pick<Deps, 'config'>, db: Db<Tables>, transfer: Of): Promise<Limited> {
  const { sep, account, account_memo: memo } = transfer
  // In a direct payment (SEP-31) the account is the sending anchor's, whose identity checks the agreement relies on.
  if (sep === '31') {
    const key = transfer.person ?? (await senderOf(db, transfer.customer_id))
    return {
      key: key ?? transfer.id,
      tier: await tierOfSenders(db, account),
      limitPercent: 100,
      own: sql`select id from transfers where person = ${key}`,
    }
  }
  const { id: personId, isProven } = await personOf(db, account, memo)
  const accounts = await accountsOf(db, account, memo, personId)
  const same = personId === null ? [] : await samePersons(db, personId)
  const own = sql`
    select t.id from transfers t
    join (select * from json_to_recordset(${JSON.stringify(accounts)}) as a (account text, memo text)) a
      on a.account = t.account and a.memo is not distinct from t.account_memo
    where t.sep <> '31'
    union
    select id from transfers where person = any(${same}::text[])`
  const { limitPercent } = await measuresFor(deps, db, await customerIdsOf(db, account, memo, personId))
  return {
    ...{ key: same[0] ?? account, limitPercent, own },
    tier: await tierOf(db, isProven ? personId : null),
  }
}

/** The most of the transfer's asset that the person may still agree to, and why it is no more; null: the tier has no limit. */
export async function remainingByTier(
  deps: Pick<Deps, 'config'>,
  db: Db<Tables>,
  settings: AnchorSettings,
  transfer: Of,
): Promise<{ amount: Amount; why: string } | null> {
  const { tier: name, own, limitPercent } = await limitedBy(deps, db, transfer)
  const tier = settings.limits.tiers[name]
  const share = (limit: string) => shareOf(parseAmount(limit), { limitPercent })
  const found =
    tier.transaction === null
      ? []
      : [
          {
            amount: share(tier.transaction),
            why: `one transaction may be ${formatAmount(share(tier.transaction))}`,
          },
        ]
  for (const { limit, interval, days } of periods) {
    const most = tier[limit]
    if (most === null) continue
    const agreed = await agreedSince(db, own, transfer, interval)
    const left = subtract(share(most), agreed)
    const amount = left > 0n ? left : amountOf(0n)
    found.push({
      amount,
      why: `at most ${formatAmount(share(most))} is possible in ${days}; ${formatAmount(amount)} is left`,
    })
  }
  const [first, ...others] = found
  return first ? others.reduce((least, each) => (each.amount < least.amount ? each : least), first) : null
}

/**
 * Checks an amount against the limits of the person's tier, in the caller's transaction: two transfers of one person wait
 * for each other.
 *
 * @throws `validation-failed`
 */
export async function requireWithinTier(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  transfer: Of,
  amount: Amount,
): Promise<void> {
  const { settings } = await currentSettings(deps, tx)
  if (!hasTierLimits(settings)) return
  const { key } = await limitedBy(deps, tx, transfer)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limits:${key}`}, 0))`.execute(tx)
  const most = await remainingByTier(deps, tx, settings, transfer)
  if (most !== null && amount > most.amount)
    throw new Problem(
      'validation-failed',
      transfer.sep === '31' ? senderRefusal(most.why) : refusal(most.why),
    )
}

const refusal = (why: string): string => `the amount is above your limit: ${why}`
const senderRefusal = (why: string): string =>
  `the amount is above the sender's limit: ${why}. No further identity check raises it: send less, send later, or ask this anchor for another tier in your agreement`

/** What was agreed or paid of the asset since then, deposits and withdrawals together, without this transfer, also of deleted accounts. */
async function agreedSince(
  db: Db<Tables>,
  own: RawBuilder<unknown>,
  { id: exceptId, asset }: Pick<Transfer, 'id' | 'asset'>,
  interval: string,
): Promise<Amount> {
  const { rows } = await sql<{ amount: string }>`
    with own as (${own})
    select t.amount from transfers t join own on own.id = t.id
    where t.id <> ${exceptId} and t.amount is not null and t.asset is not distinct from ${asset}
      and t.state in ('awaiting_funds', 'funded', 'awaiting_trust', 'paying_out', 'completed', 'sent_back')
      and exists (select from transfer_steps s where s.transfer_id = t.id
        and s.to_state in ('awaiting_funds', 'funded') and s.at > now() - ${interval}::interval)`.execute(db)
  return rows.reduce((sum, { amount }) => add(sum, parseAmount(amount)), amountOf(0n))
}
