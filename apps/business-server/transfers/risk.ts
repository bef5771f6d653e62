import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { accountId, volumeOf } from '../people/compliance/velocity.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import { samePersons } from '../people/customers/same-person.ts'
import { customerIdsOf, personOf } from '../people/customers/tiers.ts'
import { measuresFor, rateCustomer, type RiskFacts } from '../people/risk-rating/rate.ts'
import { currentRiskRules } from '../people/risk-rating/rules.ts'
import type { Tables, Transfer } from '../tables.ts'
import { customersOf, documentCountriesOf, residencesOf } from './countries.ts'

/** What rules look at of a customer. */
export async function riskFactsOf(
  { clock }: Pick<Deps, 'clock'>,
  tx: Db<Tables>,
  customer: Customer,
): Promise<RiskFacts> {
  const { account, memo, fields, created_at: since } = customer
  const { id } = await personOf(tx, account, memo)
  const same = id === null ? [] : await samePersons(tx, id)
  const ids = [accountId({ account, memo }), ...same.map(each => `person ${each}`)]
  return {
    ...{ residence: residencesOf(fields), documents: documentCountriesOf(fields), since },
    isOrganization: !fields.first_name && !fields.last_name && Boolean(fields['organization.name']),
    volume: await volumeOf(tx, ids, clock.now()),
  }
}

/** Rates the customer of a transaction again, in the caller's transaction. Those of a sending anchor are that one's to rate. */
export async function rateCustomerOf(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
): Promise<Customer | null> {
  if (transfer.sep === '31') return null
  const [customer] = await customersOf(deps, tx, transfer)
  if (!customer) return null
  await rateCustomer(deps, tx, customer, await riskFactsOf(deps, tx, customer))
  return customer
}

const SOURCE_OF_FUNDS = 'source_of_funds'

/** The field that says where the customer's money comes from, where it is asked for and not known. */
export async function missingSourceOfFunds(deps: Deps, transfer: Transfer): Promise<string[]> {
  const { db } = deps.database
  const { rules } = await currentRiskRules(deps, db)
  if (!Object.values(rules.measures).some(({ asksSourceOfFunds }) => asksSourceOfFunds)) return []
  return db.transaction().execute(async tx => {
    const customer = await rateCustomerOf(deps, tx, transfer)
    if (!customer || customer.fields[SOURCE_OF_FUNDS]) return []
    const { account, memo } = customer
    const ids = await customerIdsOf(tx, account, memo, (await personOf(tx, account, memo)).id)
    return (await measuresFor(deps, tx, ids)).asksSourceOfFunds ? [SOURCE_OF_FUNDS] : []
  })
}
