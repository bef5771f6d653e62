import { type Amount, amountOf, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { balanceOf } from '../money/journal/journal.ts'
import type { BankOpening, Tables } from '../tables.ts'
import { bookedByAccount } from './find-lines.ts'
import { bankBalances, type BankBalances } from './missing-statements.ts'
import { openingsOf } from './openings.ts'

/** What a bank says that an account has, and what the journal has of it. */
interface AccountBalance extends BankBalances {
  account: string
  currency: string
  /** The rails that use it. */
  rails: string[]
  /** At the end of the bank's day; without one, now. */
  journal: Amount
  opening: BankOpening | null
  pending: BankOpening | null
}

/**
 * The bank accounts of the rails, each with its balances. A rail's account in the journal has the money of the bank
 * accounts that the rail had before too: what their statements booked is theirs, all else is the present one's.
 */
export async function accountBalances(deps: Pick<Deps, 'rails'>, tx: Db<Tables>): Promise<AccountBalance[]> {
  const booked = new Map((await bookedByAccount(tx)).map(each => [each.account, parseAmount(each.booked)]))
  const openings = await openingsOf(tx)
  const balances = await bankBalances(tx)
  const stated = (account: string) =>
    (booked.get(account) ?? 0n) + parseAmount(openings.get(account)?.counts?.amount ?? '0')
  const found: AccountBalance[] = []
  for (const { account, currency, rails, earlier } of accountsInUse(deps)) {
    let present = 0n
    for (const rail of rails) present += await balanceOf(tx, `rail:${rail}`, currency)
    for (const each of earlier) present -= stated(each)
    const read = earlier
      .filter(each => balances.has(each))
      .map(each => ({ account: each, has: stated(each), rails: [] }))
    for (const { has, ...each } of [{ account, has: present, rails }, ...read]) {
      const { counts = null, pending = null } = openings.get(each.account) ?? {}
      const { bank = null, first = null } = balances.get(each.account) ?? {}
      const later = bank ? await bookedAfter(tx, each.account, bank.day) : 0n
      const money = { journal: amountOf(has - later), opening: counts, pending }
      found.push({ ...each, currency, bank, first, ...money })
    }
  }
  return found
}

/** The accounts that rails have now, with those that they had before. */
function accountsInUse({ rails }: Pick<Deps, 'rails'>) {
  const withAccount = [...rails.values()].flatMap(({ name, currency, bankAccount, earlierAccounts = [] }) =>
    bankAccount ? [{ name, currency, account: bankAccount.account, earlierAccounts }] : [],
  )
  return [...Map.groupBy(withAccount, ({ account }) => account)].map(([account, all]) => ({
    ...{ account, currency: all[0]?.currency ?? '', rails: all.map(({ name }) => name) },
    earlier: [...new Set(all.flatMap(({ earlierAccounts }) => earlierAccounts))],
  }))
}

async function bookedAfter(tx: Db<Tables>, account: string, day: string): Promise<bigint> {
  const row = await tx
    .selectFrom('bank_lines')
    .select(
      sql<string>`coalesce(sum(case direction when 'in' then amount else -amount end), 0)::text`.as('sum'),
    )
    .where('account', '=', account)
    .where('booked_on', '>', day)
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
    .executeTakeFirstOrThrow()
  return parseAmount(row.sum)
}

/** What the statements and the opening balances of accounts come to beyond the journal, by present account. */
export async function statedBeyondJournal(
  deps: Pick<Deps, 'rails'>,
  tx: Db<Tables>,
): Promise<{ account: string; currency: string; difference: Amount }[]> {
  const booked = new Map((await bookedByAccount(tx)).map(each => [each.account, parseAmount(each.booked)]))
  const openings = await openingsOf(tx)
  const found = []
  for (const { account, currency, rails, earlier } of accountsInUse(deps)) {
    const all = [account, ...earlier]
    if (!all.some(each => booked.has(each))) continue
    let difference = 0n
    for (const each of all)
      difference += (booked.get(each) ?? 0n) + parseAmount(openings.get(each)?.counts?.amount ?? '0')
    for (const rail of rails) difference -= await balanceOf(tx, `rail:${rail}`, currency)
    found.push({ account, currency, difference: amountOf(difference) })
  }
  return found
}
