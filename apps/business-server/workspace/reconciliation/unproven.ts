import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { accountBalances } from '../../bank-files/balances.ts'
import { accountsWithNewLines } from '../../bank-files/find-lines.ts'
import type { Account } from '../../money/journal/journal.ts'
import { unconfirmedReceipts } from '../../payments/rail-receipts.ts'
import type { Rail } from '../../rails/rail.ts'
import type { Tables } from '../../tables.ts'
import { confirmedByPeople } from './store.ts'

export interface Unproven {
  account: Account
  unit: string
  amount: Amount
}

/**
 * What a person alone said that a rail received, and what the journal has of a bank account beyond the balance that the bank
 * states. Where a bank states more, its lines are not read yet or the account had money before: nothing is unproven.
 */
export async function unprovenMoney(
  deps: { rails: ReadonlyMap<string, Rail> },
  db: Db<Tables>,
): Promise<Unproven[]> {
  const confirmed = await confirmedByPeople(db)
  const said = (await unconfirmedReceipts(db))
    .filter(({ rail, payment_id }) => !confirmed.has(`${rail}:${payment_id}`))
    .map(({ rail, amount, currency }): Unproven => {
      return { account: `rail:${rail}`, unit: currency, amount: parseAmount(amount) }
    })
  // Between the reading of a file and that of its lines the journal lacks what the balance has.
  const unread = await accountsWithNewLines(db)
  const beyond = (await accountBalances(deps, db)).flatMap((each): Unproven[] => {
    const { account, bank, journal, currency, rails } = each
    const [rail] = rails
    if (!bank || !rail || unread.has(account) || journal <= bank.balance) return []
    return [{ account: `rail:${rail}`, unit: currency, amount: amountOf(journal - bank.balance) }]
  })
  return [...said, ...beyond]
}
