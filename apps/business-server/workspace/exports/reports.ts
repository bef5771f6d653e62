import { type AccountKind, journalChart } from '@windlass/contracts/anchor/journal.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../../deps.ts'
import { type ExchangedRow, exchangesIn, movedByMonth, type Period } from '../../money/journal/periods.ts'
import { findCustomerById } from '../../people/customers/customers.ts'
import { findTransfer } from '../../transfers/find.ts'
import type { Codes } from './accounting.ts'
import { row } from './formats.ts'

const REPORTED: readonly AccountKind[] = ['income', 'expense', 'equity']
const opposite = (amount: string) => formatAmount(amountOf(-parseAmount(amount)))

/** What was earned and paid, and what owners brought and took, by month. Income is positive, costs are negative. */
export async function* incomeCsv(
  { database: { db } }: Deps,
  period: Period,
  { codes, codeOf }: { codes: Codes; codeOf(unit: string): string },
): AsyncGenerator<string> {
  yield row('month', 'kind', 'account', 'number', 'amount', 'unit')
  for (const { month, account, unit, amount } of await movedByMonth(db, period)) {
    const kind = (journalChart as Record<string, AccountKind>)[account]
    if (kind && REPORTED.includes(kind))
      yield row(month, kind, account, codes.get(account)?.code ?? '', opposite(amount), codeOf(unit))
  }
}

interface Volume {
  transactions: number
  units: bigint
  money: bigint
}

/** Transactions by month, country of the customer, asset, rail and direction. */
export async function* volumesCsv(
  deps: Deps,
  period: Period,
  codeOf: (unit: string) => string,
): AsyncGenerator<string> {
  yield row('month', 'country', 'asset', 'rail', 'direction', 'transactions', 'units', 'money', 'currency')
  const volumes = new Map<string, Volume>()
  const countries = new Map<string, string>()
  for await (const each of exchangesIn(deps.database.db, period)) {
    const country = await countryOf(deps, each, countries)
    const { month, unit, rail, direction, currency } = each
    const key = [month, country, codeOf(unit), rail, direction, currency].join('\t')
    const { transactions, units, money } = volumes.get(key) ?? { transactions: 0, units: 0n, money: 0n }
    volumes.set(key, {
      transactions: transactions + 1,
      units: units + parseAmount(each.units),
      money: money + parseAmount(each.money),
    })
  }
  const text = (amount: bigint) => formatAmount(amountOf(amount))
  for (const [key, { transactions, units, money }] of [...volumes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [month = '', country = '', asset = '', rail = '', direction = '', currency = ''] = key.split('\t')
    yield row(
      month,
      country,
      asset,
      rail,
      direction,
      String(transactions),
      text(units),
      text(money),
      currency,
    )
  }
}

/** The country of residence, or registration; empty: nobody said. */
async function countryOf(
  deps: Deps,
  { transferId }: ExchangedRow,
  known: Map<string, string>,
): Promise<string> {
  const id = (await findTransfer(deps.database.db, transferId))?.customer_id
  if (!id) return ''
  const before = known.get(id)
  if (before !== undefined) return before
  const fields = (await findCustomerById(deps, id))?.fields ?? {}
  const country = fields.address_country_code ?? fields['organization.address_country_code'] ?? ''
  known.set(id, String(country))
  return String(country)
}
