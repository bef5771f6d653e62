import * as contracts from '@windlass/contracts/anchor/risk-rating.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { findCustomerById } from '../customers/customers.ts'
import type { Customer } from '../customers/seal-details.ts'
import { rateCustomer, type RiskFacts } from './rate.ts'
import { listRatings, ratingForm, ratingsOf } from './ratings.ts'
import { addRiskRules, listRiskRules } from './rules.ts'

/** What rules look at of a customer, by other slices. */
type FactsOf = (tx: Db<Tables>, customer: Customer) => Promise<RiskFacts>

export function serveRiskRating(on: On, deps: Deps, factsOf: FactsOf): void {
  const { db } = deps.database
  const notFound = () => new Problem('customer-not-found', 'There is no customer with this id.')
  on(contracts.getRiskRules).serve(() => listRiskRules(deps, db))
  on(contracts.setRiskRulesAs).serve(async ({ body }) => {
    await addRiskRules(deps, body)
    return listRiskRules(deps, db)
  })
  on(contracts.listCustomerRatings).serve(async ({ query, request, reply }) => {
    const rows = await listRatings(deps, query)
    linkNext(request, reply, query, rows)
    return rows.map(row => ratingForm(deps.sealer, row.customer_id, row))
  })
  on(contracts.getCustomerRating).serve(async ({ params: { id } }) => {
    const customer = await findCustomerById(deps, id)
    if (!customer) throw notFound()
    return { ratings: await ratingsOf(deps, customer) }
  })
  on(contracts.reviewCustomerRatingAs).serve(({ params: { id }, body: { atLeast, note, by } }) =>
    db.transaction().execute(async tx => {
      const customer = await findCustomerById(
        { sealer: deps.sealer, database: { ...deps.database, db: tx } },
        id,
      )
      if (!customer) throw notFound()
      const review = { atLeast, note, by }
      const rated = await rateCustomer(deps, tx, customer, await factsOf(tx, customer), review)
      return ratingForm(deps.sealer, id, rated)
    }),
  )
}
