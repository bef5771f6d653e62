import type { BankAccount, OpeningBalance } from '@windlass/contracts/anchor/bank-accounts.ts'
import { formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import { accountBalances } from '../../bank-files/balances.ts'
import { lastStatements } from '../../bank-files/statements.ts'
import type { Deps } from '../../deps.ts'
import type { BankOpening } from '../../tables.ts'
import { openSince } from './store.ts'

/** Each bank account as the bank has it, and as the journal does. */
export async function bankAccounts(deps: Deps): Promise<BankAccount[]> {
  const { db } = deps.database
  const { balances, statements, since } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async tx => ({
      balances: await accountBalances(deps, tx),
      statements: await lastStatements(tx),
      since: await openSince(tx, 'bank-balance'),
    }))
  return balances.map(({ account, currency, rails, bank, journal, first, opening, pending }) => {
    const last = statements.get(account)
    const gap = bank && subtract(bank.balance, journal)
    return {
      ...{ account, currency, rails },
      lastStatement: last
        ? {
            ...{ id: last.id, fileName: last.file_name, bookedTo: last.booked_to },
            readAt: last.created_at.toISOString(),
          }
        : null,
      bank: bank && { balance: formatAmount(bank.balance), day: bank.day },
      journal: formatAmount(journal),
      gap: gap === null ? null : formatAmount(gap),
      gapSince: gap ? (since.get(account)?.toISOString() ?? null) : null,
      first: first && { balance: formatAmount(first.balance), day: first.day },
      opening: opening && openingForm(opening),
      pending: pending && openingForm(pending),
    }
  })
}

export async function bankAccount(deps: Deps, account: string): Promise<BankAccount> {
  const found = (await bankAccounts(deps)).find(each => each.account === account)
  if (!found) throw new Error('the account is no longer one of a rail')
  return found
}

const openingForm = (row: BankOpening): OpeningBalance => ({
  ...{ id: row.id, amount: formatAmount(parseAmount(row.amount)), day: row.day, reason: row.reason },
  ...{ status: row.state, requestedBy: row.requested_by, requestedAt: row.requested_at.toISOString() },
  decidedBy: row.decided_by,
  decidedAt: row.decided_at?.toISOString() ?? null,
})
