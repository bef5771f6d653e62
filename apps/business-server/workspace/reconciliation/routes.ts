import * as accounts from '@windlass/contracts/anchor/bank-accounts.ts'
import * as contracts from '@windlass/contracts/anchor/reconciliation.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import { decideOpening, requestOpening } from '../../bank-files/openings.ts'
import type { Deps } from '../../deps.ts'
import { bankAccount, bankAccounts } from './bank-accounts.ts'
import { reconcile, reconciliation } from './reconcile.ts'
import { approveDifference, resolveDifference } from './resolve.ts'
import { changeOpen, differenceForm, listDifferences } from './store.ts'

export function serveReconciliation(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.getReconciliation).serve(() => reconciliation(deps))
  on(contracts.listDifferences).serve(async ({ query, request, reply }) => {
    const rows = await listDifferences(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(differenceForm)
  })
  on(accounts.listBankAccounts).serve(() => bankAccounts(deps))
  on(accounts.setOpeningBalanceAs).serve(async ({ params, body }) =>
    bankAccount(deps, await requestOpening(deps, params.rail, body)),
  )
  on(accounts.decideOpeningBalanceAs).serve(async ({ params, body }) =>
    bankAccount(deps, await decideOpening(deps, params.id, body)),
  )
  on(contracts.reconcileAs).serve(({ body }) => reconcile(deps, body.by))
  on(contracts.assignDifferenceAs).serve(async ({ params, body }) =>
    differenceForm(await changeOpen(db, params.id, { assigned_to: body.to })),
  )
  on(contracts.resolveDifferenceAs).serve(({ params, body }) => resolveDifference(deps, params.id, body))
  on(contracts.approveDifferenceAs).serve(({ params, body }) => approveDifference(deps, params.id, body))
}
