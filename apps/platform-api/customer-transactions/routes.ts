import { listCustomerTransactions } from '@windlass/contracts/platform/customers.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { transactionsOf } from './list.ts'

/** Limit for one customer: each page asks every anchor they use. */
const PAGES_A_MINUTE = 60

export function customerTransactionRoutes(on: On, deps: Deps): void {
  const pages = createRate(
    deps.database.pool,
    'customer-transactions',
    PAGES_A_MINUTE * deps.config.rateFactor,
    60,
  )
  on(listCustomerTransactions).serve(async ({ principal, query }) => {
    await pages.demand(principal.customerId)
    return transactionsOf(deps, principal.customerId, query)
  })
}
