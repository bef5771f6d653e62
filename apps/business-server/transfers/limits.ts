import type { AnchorSettings } from '@windlass/contracts/anchor-settings.ts'
import { add, amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { accountsOf, personOf, tierOf } from '../customers/tiers.ts'
import { currentSettings } from '../settings/settings.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'

const periods = [
  { limit: 'day', interval: '24 hours', days: '24 hours' },
  { limit: 'month', interval: '30 days', days: '30 days' },
] as const

const hasTierLimits = ({ limits }: AnchorSettings): boolean =>
  Object.values(limits.tiers).some(tier => Object.values(tier).some(limit => limit !== null))

type Of = Pick<Transfer, 'id' | 'sep' | 'account' | 'account_memo'>

/** The most that the person may still agree to, and why it is no more; null: the tier has no limit. */
export async function remainingByTier(
  db: Db<Tables>,
  settings: AnchorSettings,
  transfer: Of,
): Promise<{ amount: Amount; why: string } | null> {
  // Customers of a sending anchor (SEP-31) are that anchor's: its agreement is what bounds them.
  if (!hasTierLimits(settings) || transfer.sep === '31') return null
  const { tiers } = settings.limits
  const { account, account_memo: memo } = transfer
  const { id: personId, isProven } = await personOf(db, account, memo)
  const tier = tiers[await tierOf(db, isProven ? personId : null)]
  const found =
    tier.transaction === null
      ? []
      : [{ amount: parseAmount(tier.transaction), why: `one transaction may be ${tier.transaction}` }]
  if (tier.day !== null || tier.month !== null) {
    const accounts = await accountsOf(db, account, memo, personId)
    for (const { limit, interval, days } of periods) {
      const most = tier[limit]
      if (most === null) continue
      const agreed = await agreedSince(db, { accounts, personId }, transfer.id, interval)
      const left = subtract(parseAmount(most), agreed)
      const amount = left > 0n ? left : amountOf(0n)
      found.push({ amount, why: `at most ${most} is possible in ${days}; ${formatAmount(amount)} is left` })
    }
  }
  const [first, ...others] = found
  return first ? others.reduce((least, each) => (each.amount < least.amount ? each : least), first) : null
}

/** As {@link requireWithinTier}: why an amount is too much, as the end of a sentence; null: it is not. */
export async function beyondTier(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  transfer: Of,
  amount: Amount,
): Promise<string | null> {
  try {
    await requireWithinTier(deps, tx, transfer, amount)
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
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
  const { id } = await personOf(tx, transfer.account, transfer.account_memo)
  const person = id ?? transfer.account
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limits:${person}`}, 0))`.execute(tx)
  const most = await remainingByTier(tx, settings, transfer)
  if (most !== null && amount > most.amount)
    throw new Problem('validation-failed', `the amount is above your limit: ${most.why}`)
}

interface Accounts {
  accounts: readonly { account: string; memo: string | null }[]
  personId: string | null
}

/**
 * What a person agreed to or paid since then, deposits and withdrawals together, without this transfer: over their
 * accounts, and over those that they deleted here.
 */
async function agreedSince(
  db: Db<Tables>,
  { accounts, personId }: Accounts,
  exceptId: string,
  interval: string,
): Promise<Amount> {
  const { rows } = await sql<{ amount: string }>`
    with own as (
      select t.id from transfers t
      join (select * from json_to_recordset(${JSON.stringify(accounts)}) as a (account text, memo text)) a
        on a.account = t.account and a.memo is not distinct from t.account_memo
      union
      select id from transfers where person = ${personId}
    )
    select t.amount from transfers t join own on own.id = t.id
    where t.id <> ${exceptId} and t.sep <> '31' and t.amount is not null
      and t.state in ('awaiting_funds', 'funded', 'awaiting_trust', 'paying_out', 'completed')
      and exists (select from transfer_steps s where s.transfer_id = t.id
        and s.to_state in ('awaiting_funds', 'funded') and s.at > now() - ${interval}::interval)`.execute(db)
  return rows.reduce((sum, { amount }) => add(sum, parseAmount(amount)), amountOf(0n))
}
