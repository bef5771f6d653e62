import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { listAccounts } from '../../money/journal/chart.ts'
import { closedUntil } from '../../money/journal/closes.ts'
import { unitOf } from '../../money/journal/journal.ts'
import { entriesOf, movedByMonth, type Period } from '../../money/journal/periods.ts'
import { journalSettings } from '../../money/journal/settings.ts'
import { type Books, type Codes, datev, quickBooksJournal, windows1252, xeroJournal } from './accounting.ts'

/** Numbers of accounts at the accountant's. */
export async function codesOf(deps: Deps): Promise<Codes> {
  const accounts = await listAccounts(deps)
  return new Map(
    accounts.flatMap(({ account, code, taxKey }) =>
      code === null ? [] : [[account, { code, taxKey }] as const],
    ),
  )
}

/** A stablecoin of dollars counts as dollars. */
const isoOf = (currency: string): string => (currency === 'USDC' ? 'USD' : currency)

async function booksOf(deps: Deps, asked: string | undefined): Promise<Books> {
  const assets = servedAssets(deps.config.anchor)
  const currency = asked ?? isoOf(assets[0]?.anchoredTo ?? 'USD')
  const own = assets.filter(({ anchoredTo }) => isoOf(anchoredTo) === currency).map(({ key }) => unitOf(key))
  return { codes: await codesOf(deps), currency, units: new Set([currency, ...own]) }
}

/** The journal in the form of an accounting program. Throws `validation-failed` where it cannot be. */
export async function accountingFile(
  deps: Deps,
  name: 'datev.csv' | 'xero-journal.csv' | 'quickbooks-journal.csv',
  period: Period,
  asked: string | undefined,
): Promise<AsyncIterable<string | Buffer>> {
  const { db } = deps.database
  const books = await booksOf(deps, asked)
  await requireNumbers(deps, books, period, name === 'datev.csv' ? /^\d{4,9}$/ : /^.+$/)
  const entries = entriesOf(db, period)
  if (name === 'xero-journal.csv') return xeroJournal(entries, books)
  if (name === 'quickbooks-journal.csv') return quickBooksJournal(entries, books)
  const { from, to } = period
  if (from.slice(0, 4) !== to.slice(0, 4)) throw invalid('to', 'must be in the same year: a batch has one')
  const { consultant, client } = (await journalSettings(db)).datev ?? { consultant: 1001, client: 1 }
  const isFinal = to <= ((await closedUntil(db)).all ?? '')
  return windows1252(datev(entries, books, { consultant, client, from, to, isFinal, at: deps.clock.now() }))
}

/** A file with accounts that the program does not know cannot be imported. */
async function requireNumbers(
  { database }: Deps,
  { codes, units }: Books,
  period: Period,
  form: RegExp,
): Promise<void> {
  const used = (await movedByMonth(database.db, period)).filter(({ unit }) => units.has(unit))
  const missing = new Set(
    used.map(({ account }) => account).filter(each => !form.test(codes.get(each)?.code ?? '')),
  )
  if (missing.size === 0) return
  const names = [...missing].toSorted().join(', ')
  throw invalid('name', `needs a number of each account. Set those of ${names} under Closing, Accounts`)
}
