import {
  type AccountSettings,
  type ChartAccount,
  journalChart,
  type JournalAccount,
} from '@windlass/contracts/anchor/journal.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

type Stored = Pick<AccountSettings, 'code' | 'taxKey'> &
  Pick<JournalAccount, 'heldFor'> & { account: string; by: string; at: Date }

/** Every account with what was set for it: those of the chart, and those of rails that are or were here. */
export async function listAccounts({
  database,
  rails,
}: Pick<Deps, 'database' | 'rails'>): Promise<JournalAccount[]> {
  const settings = new Map((await settingsOf(database.db)).map(each => [each.account, each]))
  const recorded = await railsInJournal(database.db)
  const names = new Set([...[...rails.keys()].map(name => `rail:${name}`), ...recorded].toSorted())
  return [...names, ...Object.keys(journalChart)].map(account => accountForm(account, settings.get(account)))
}

const isRail = (account: string): boolean => account.startsWith('rail:')

function accountForm(account: string, stored: Stored | undefined): JournalAccount {
  return {
    account,
    kind: isRail(account) ? 'asset' : journalChart[account as ChartAccount],
    ...{ code: stored?.code ?? null, taxKey: stored?.taxKey ?? null },
    // Money of customers is assumed, so that nothing of theirs is counted as the business's.
    heldFor: isRail(account) ? (stored?.heldFor ?? 'customers') : null,
    ...{ changedBy: stored?.by ?? null, changedAt: stored?.at.toISOString() ?? null },
  }
}

/** Throws `not-found`, `validation-failed`. */
export async function setAccount(
  deps: Pick<Deps, 'database' | 'rails'>,
  account: string,
  { code, taxKey, heldFor, by }: AccountSettings & { by: string },
): Promise<JournalAccount> {
  const known = (await listAccounts(deps)).find(each => each.account === account)
  if (!known) throw new Problem('not-found', 'The journal has no account of this name.')
  if (heldFor && !isRail(account)) throw invalid('heldFor', "is of a rail's account alone")
  await deps.database.db
    .insertInto('journal_account_settings')
    .values({ account, code, tax_key: taxKey, held_for: heldFor ?? known.heldFor, by })
    .execute()
  const [stored] = await settingsOf(deps.database.db, account)
  return accountForm(account, stored)
}

async function settingsOf(db: Db<Tables>, account?: string): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    select distinct on (account) account, code, tax_key as "taxKey", held_for as "heldFor", by, at
    from journal_account_settings where ${account ?? null}::text is null or account = ${account ?? null}::text
    order by account, id desc`.execute(db)
  return rows
}

async function railsInJournal(db: Db<Tables>): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from journal_lines where account like 'rail:%'`.execute(db)
  return rows.map(({ account }) => account)
}

/** Accounts of rails that hold the business's own money. */
export async function railsOfBusiness(db: Db<Tables>): Promise<ReadonlySet<string>> {
  return new Set(
    (await settingsOf(db)).filter(each => each.heldFor === 'business').map(({ account }) => account),
  )
}
