import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { type ExchangedRow, exchangesIn, type Period } from '../../money/journal/periods.ts'
import { findCustomerById } from '../../people/customers/customers.ts'
import { verifiedNameOf } from '../../people/customers/verified-name.ts'
import { findTransfer } from '../../transfers/find.ts'
import { row } from './formats.ts'

/*
 * What each customer exchanged: for themselves, and for tax authorities. The same person is one with all their accounts.
 */

type CodeOf = (unit: string) => string
/** People read names, addresses and tax numbers, API keys never do. */
export interface Reader {
  isPerson: boolean
}

const ADDRESS = ['address', 'city', 'postal_code'] as const
const PERSON = [
  ...['person', 'kind', 'name', 'birth_date', ...ADDRESS, 'country', 'tax_id', 'tax_id_name'],
] as const

interface Person {
  id: string
  country: string
  cells: string[]
}

/** People by the ids of their customers, each read once. */
function peopleOf(deps: Deps, { isPerson }: Reader) {
  const known = new Map<string, Person>()
  return async (customerId: string | null): Promise<Person> => {
    const before = known.get(customerId ?? '')
    if (before) return before
    const customer = customerId === null ? null : await findCustomerById(deps, customerId)
    const fields = customer?.fields ?? {}
    const of = (name: string) => String(fields[name] ?? fields[`organization.${name}`] ?? '')
    const verified = await verifiedNameOf(deps.database.db, deps.sealer, customer?.central_id ?? null)
    const told = [fields['first_name'], fields['last_name']].filter(Boolean).join(' ')
    const organization = String(fields['organization.name'] ?? '')
    const id = customer?.central_id ?? customer?.id ?? ''
    const country = of('address_country_code')
    const personal = [
      organization || verified || told,
      of('birth_date'),
      ...ADDRESS.map(of),
      country,
      String(fields['tax_id'] ?? fields['organization.VAT_number'] ?? ''),
      of('tax_id_name'),
    ]
    const kind = organization ? 'organization' : 'individual'
    const cells = [id, kind, ...(isPerson ? personal : personal.map(() => ''))]
    const person = { id, country, cells }
    known.set(customerId ?? '', person)
    return person
  }
}

async function* exchangesOfCustomers(deps: Deps, period: Period) {
  for await (const exchange of exchangesIn(deps.database.db, period)) {
    const transfer = await findTransfer(deps.database.db, exchange.transferId)
    yield { exchange, customerId: transfer?.customer_id ?? null, transfer }
  }
}

/** What one person exchanged, over all their accounts. Throws `validation-failed`, `not-found`. */
export async function customerStatement(
  deps: Deps,
  period: Period,
  asked: string | undefined,
  codeOf: CodeOf,
): Promise<AsyncIterable<string>> {
  if (!asked) throw invalid('customer', 'is needed for a statement of a customer')
  const customer = await findCustomerById(deps, asked)
  if (!customer) throw new Problem('not-found', 'There is no customer with this id.')
  return linesOfCustomer(deps, period, customer.central_id ?? customer.id, codeOf)
}

async function* linesOfCustomer(
  deps: Deps,
  period: Period,
  person: string,
  codeOf: CodeOf,
): AsyncGenerator<string> {
  const personOf = peopleOf(deps, { isPerson: false })
  yield row(
    'day',
    'transaction',
    'direction',
    'rail',
    'asset',
    'units',
    'fee',
    'money',
    'currency',
    'account',
    'ledger',
  )
  for await (const { exchange, customerId, transfer } of exchangesOfCustomers(deps, period)) {
    if ((await personOf(customerId)).id !== person) continue
    const { day, transferId, direction, rail, unit, units, fee, money, currency } = exchange
    const ledger = [transfer?.stellar_account ?? '', transfer?.ledger_hash ?? '']
    yield row(day, transferId, direction, rail, codeOf(unit), units, fee, money, currency, ...ledger)
  }
}

interface Sum {
  person: Person
  transactions: number
  units: bigint
  fee: bigint
  money: bigint
}

/**
 * Facts for DAC8 and CARF: what each person acquired for money and disposed of for money, by asset and currency. Units went
 * to, or came from, a wallet of their own.
 */
export async function* carfCsv(
  deps: Deps,
  period: Period,
  codeOf: CodeOf,
  reader: Reader,
): AsyncGenerator<string> {
  const figures = ['transactions', 'units', 'fee', 'money', 'currency']
  yield row(...PERSON, 'asset', 'relevant_transaction', ...figures)
  const sums = new Map<string, Sum>()
  const personOf = peopleOf(deps, reader)
  for await (const { exchange, customerId } of exchangesOfCustomers(deps, period)) {
    const person = await personOf(customerId)
    const key = [person.id, codeOf(exchange.unit), kindOf(exchange), exchange.currency].join('\t')
    const sum = sums.get(key) ?? { person, transactions: 0, units: 0n, fee: 0n, money: 0n }
    sums.set(key, {
      person,
      transactions: sum.transactions + 1,
      units: sum.units + parseAmount(exchange.units),
      fee: sum.fee + parseAmount(exchange.fee),
      money: sum.money + parseAmount(exchange.money),
    })
  }
  const text = (amount: bigint) => formatAmount(amountOf(amount))
  for (const [key, { person, transactions, units, fee, money }] of [...sums].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const [, asset = '', kind = '', currency = ''] = key.split('\t')
    const amounts = [units, fee, money].map(text)
    yield row(...person.cells, asset, kind, String(transactions), ...amounts, currency)
  }
}

/** As CARF calls them: crypto against fiat. */
const kindOf = ({ direction }: ExchangedRow): string =>
  direction === 'deposit' ? 'acquisition-for-fiat' : 'disposal-for-fiat'

/** Facts for form 1099-DA: each disposal of who lives in the United States, or of whom nobody knows where. */
export async function* brokerCsv(
  deps: Deps,
  period: Period,
  codeOf: CodeOf,
  reader: Reader,
): AsyncGenerator<string> {
  yield row(...PERSON, 'asset', 'units', 'date_sold', 'proceeds', 'currency', 'fee', 'transaction')
  const personOf = peopleOf(deps, reader)
  for await (const { exchange, customerId } of exchangesOfCustomers(deps, period)) {
    const { direction, day, transferId, unit, units, fee, money, currency } = exchange
    if (direction !== 'withdrawal') continue
    const { country, cells } = await personOf(customerId)
    if (country !== 'USA' && country !== '') continue
    yield row(...cells, codeOf(unit), units, day, money, currency, fee, transferId)
  }
}
