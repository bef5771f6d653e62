import type { CustomerAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import { countries } from '@windlass/contracts/countries.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import {
  countryOfAccount,
  currentCountryRules,
  type KnownCountry,
  payerCountries,
} from '../people/compliance/country-rules.ts'
import { isServiceEnded } from '../people/compliance/compare-names.ts'
import { findCustomer, findCustomerById } from '../people/customers/customers.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'
import { openDestination } from './destination.ts'
import { peersOf } from './peers.ts'

type Fields = Customer['fields']

const RESIDENCE = ['address_country_code', 'organization.address_country_code']
const DOCUMENT = ['id_country_code']

const of = (fields: Fields, names: readonly string[]): string[] =>
  names.flatMap(name => countries.get(fields[name] ?? '') ?? [])

export const residencesOf = (fields: Fields): string[] => of(fields, RESIDENCE)
export const documentCountriesOf = (fields: Fields): string[] => of(fields, DOCUMENT)

/** Where a customer lives and which country's document they have, as far as they told. */
const ofCustomer = ({ id, fields }: Customer): KnownCountry[] => [
  ...of(fields, RESIDENCE).map(country => ({ of: 'residence' as const, country, customer: id })),
  ...of(fields, DOCUMENT).map(country => ({ of: 'document' as const, country, customer: id })),
]

/** Everything about a transaction that has a country. */
export async function countriesOf(deps: Deps, db: Db<Tables>, transfer: Transfer): Promise<KnownCountry[]> {
  const { dest = '', dest_extra = '' } = openDestination(deps.sealer, transfer)
  const accounts = transfer.direction === 'withdrawal' ? [dest, dest_extra] : []
  const payees = new Set(accounts.map(countryOfAccount).filter(country => country !== null))
  return [
    ...(await customersOf(deps, db, transfer)).flatMap(ofCustomer),
    ...[...payees].map(country => ({ of: 'payee-account' as const, country, customer: null })),
    ...(await payerCountries(db, transfer.id)).map(country => ({
      ...{ of: 'payer-account' as const, country, customer: null },
    })),
  ]
}

/** Its customer, and of a direct payment its receiver too. */
export async function customersOf(
  { database, sealer }: Deps,
  db: Db<Tables>,
  transfer: Transfer,
): Promise<Customer[]> {
  const store = { sealer, database: { ...database, db } }
  const { customer_id, receiver_id, sep, account, account_memo } = transfer
  const named = customer_id ? await findCustomerById(store, customer_id) : null
  const customer = named ?? (sep === '31' ? null : await findCustomer(store, account, account_memo))
  const receiver = receiver_id ? await findCustomerById(store, receiver_id) : null
  return [customer, receiver].filter(each => each !== null)
}

/** It says no more than the anchor's own list of regions does. */
const NOT_SERVED = 'The anchor does not serve customers of this country.'

interface Served {
  known: readonly KnownCountry[]
  /** Whose customer it is: of a direct payment another anchor's, whose licence counts. */
  isOwn: boolean
}

async function isServed(deps: Deps, db: Db<Tables>, { known, isOwn }: Served): Promise<boolean> {
  if (known.length === 0) return true
  const { prohibited } = await currentCountryRules(deps, db)
  const { regions } = deps.config.anchor.plan
  return known.every(
    ({ of: what, country }) =>
      !prohibited.includes(country) && (!isOwn || what !== 'residence' || regions.includes(country)),
  )
}

/** Whether a hit about the person was confirmed, under whatever address they signed in. */
const isEndedFor = async (db: Db<Tables>, customer: Customer): Promise<boolean> =>
  isServiceEnded(db, [customer, ...(await peersOf(db, customer.central_id))])

/** Throws `validation-failed` where the anchor no longer serves the customer, their country, or the country that is paid. */
export async function requireServed(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<void> {
  for (const customer of await customersOf(deps, tx, transfer))
    if (await isEndedFor(tx, customer))
      throw new Problem('validation-failed', 'The anchor does not take this transaction.')
  const known = await countriesOf(deps, tx, transfer)
  if (!(await isServed(deps, tx, { known, isOwn: transfer.sep !== '31' })))
    throw new Problem('validation-failed', NOT_SERVED)
}

/** The SEP-9 field that says where the customer lives, where it is asked for and not known. */
export async function missingResidence(deps: Deps, db: Db<Tables>, transfer: Transfer): Promise<string[]> {
  if (transfer.sep === '31') return []
  const { asksResidence } = await currentCountryRules(deps, db)
  if (!asksResidence) return []
  const [customer] = await customersOf(deps, db, transfer)
  return customer && of(customer.fields, RESIDENCE).length === 0 ? ['address_country_code'] : []
}

/** What SEP-12 answers for a customer whom the anchor no longer serves, without a reason, or whose country it does not serve. */
export async function whetherServed(
  deps: Deps,
  answer: CustomerAnswer,
  isOwn: boolean,
): Promise<CustomerAnswer> {
  const customer = answer.id ? await findCustomerById(deps, answer.id) : null
  if (!customer) return answer
  const { id, provided_fields } = answer
  const rejected = { id, status: 'REJECTED', ...(provided_fields && { provided_fields }) } as CustomerAnswer
  if (await isEndedFor(deps.database.db, customer)) return rejected
  if (answer.status === 'REJECTED') return answer
  if (await isServed(deps, deps.database.db, { known: ofCustomer(customer), isOwn })) return answer
  return { ...rejected, message: NOT_SERVED } as CustomerAnswer
}
