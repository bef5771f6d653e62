import * as contracts from '@windlass/contracts/anchor/returned-payments.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { anchorServerOf, page } from './anchor-server.ts'
import { recordedAct } from './recorded-act.ts'

/** Payments that banks sent back: the queue, and returns without a transaction, which are paid again here. */
export function returnedPaymentRoutes(on: On, deps: Deps): void {
  const outcomeOf = ({ amount, currency, pending }: ReturnedPayment) => ({
    isWaiting: pending !== null,
    details: { amount, currency },
  })
  on(contracts.listWorkspaceReturnedPayments).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(contracts.listReturnedPayments, { query }), request, reply)
  })
  on(contracts.payWorkspaceReturnAgain).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { userId } = principal
    const server = await anchorServerOf(deps, userId, anchorId)
    const by = `operator:${userId}`
    return recordedAct(deps, {
      ...{ userId, anchorId, about: 'returned-payment', done: 'paid-again', outcomeOf },
      details: { id, ...body },
      call: () => server.call(contracts.payReturnAgainAs, { params: { id }, body: { ...body, by } }),
    })
  })
  on(contracts.approveWorkspaceRepayment).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { userId } = principal
    const server = await anchorServerOf(deps, userId, anchorId)
    const by = `operator:${userId}`
    return recordedAct(deps, {
      ...{ userId, anchorId, about: 'returned-payment', outcomeOf },
      done: body.approve ? 'approved' : 'rejected',
      details: { id },
      call: () => server.call(contracts.approveRepaymentAs, { params: { id }, body: { ...body, by } }),
    })
  })
}
