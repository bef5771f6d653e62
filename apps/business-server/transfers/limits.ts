import type { AnchorSettings } from '@windlass/contracts/anchor-settings.ts'
import { add, amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { accountsOf, centralIdOf, tierOf } from '../customers/tiers.ts'
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
  const centralId = await centralIdOf(db, account, memo)
  const tier = tiers[await tierOf(db, centralId)]
  const found =
    tier.transaction === null
      ? []
      : [{ amount: parseAmount(tier.transaction), why: `one transaction may be ${tier.transaction}` }]
  if (tier.day !== null || tier.month !== null) {
    const accounts = await accountsOf(db, account, memo, centralId)
    for (const { limit, interval, days } of periods) {
      const most = tier[limit]
      if (most === null) continue
      const left = subtract(parseAmount(most), await agreedSince(db, accounts, transfer.id, interval))
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
  const person = (await centralIdOf(tx, transfer.account, transfer.account_memo)) ?? transfer.account
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limits:${person}`}, 0))`.execute(tx)
  const most = await remainingByTier(tx, settings, transfer)
  if (most !== null && amount > most.amount)
    throw new Problem('validation-failed', `the amount is above your limit: ${most.why}`)
}

/** What was agreed or paid over these accounts since then, deposits and withdrawals together, without this transfer. */
async function agreedSince(
  db: Db<Tables>,
  accounts: readonly { account: string; memo: string | null }[],
  exceptId: string,
  interval: string,
): Promise<Amount> {
  const { rows } = await sql<{ amount: string }>`
    select t.amount from transfers t
    join (select * from json_to_recordset(${JSON.stringify(accounts)}) as a (account text, memo text)) a
      on a.account = t.account and a.memo is not distinct from t.account_memo
    where t.id <> ${exceptId} and t.sep <> '31' and t.amount is not null
      and t.state in ('awaiting_funds', 'funded', 'awaiting_trust', 'paying_out', 'completed')
      and exists (select from transfer_steps s where s.transfer_id = t.id
        and s.to_state in ('awaiting_funds', 'funded') and s.at > now() - ${interval}::interval)`.execute(db)
  return rows.reduce((sum, { amount }) => add(sum, parseAmount(amount)), amountOf(0n))
}
