import * as contracts from '@windlass/contracts/anchor/returned-payments.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listReturned } from '../../payments/sent-back.ts'
import { approveRepayment, payReturnAgain, returnedForms } from './returned-payments.ts'

export function serveReturnedPayments(on: On, deps: Deps): void {
  on(contracts.listReturnedPayments).serve(async ({ query, request, reply }) => {
    const rows = await listReturned(deps.database.db, query)
    linkNext(request, reply, query, rows)
    return returnedForms(deps, rows)
  })
  on(contracts.payReturnAgainAs).serve(({ params, body }) => payReturnAgain(deps, params.id, body))
  on(contracts.approveRepaymentAs).serve(({ params, body }) => approveRepayment(deps, params.id, body))
}
