import { payDeposit } from '@windlass/contracts/anchor/sandbox.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { findOwned } from '../transactions/transactions.ts'

/** For wallets that try an anchor: what else happens at a bank. */
export function serveSandbox(on: On, deps: Deps): void {
  on(payDeposit).serve(async ({ principal, params: { id }, body, request }) => {
    const { db } = deps.database
    const row =
      (await findOwned(db, '6', principal, { id })) ?? (await findOwned(db, '24', principal, { id }))
    if (!row) throw new Problem('not-found', 'There is no transaction with this id.')
    await deps.sandboxPayments.demand(request.clientAddress)
    return deps.business.payDeposit(row.id, body)
  })
}
