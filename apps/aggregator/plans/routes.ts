import * as contracts from '@windlass/contracts/aggregator/transfer-plans.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { makePlan, type PlanDeps } from './make-plan.ts'
import { findPlan } from './queries.ts'

export function servePlans(on: On, deps: PlanDeps): void {
  on(contracts.createTransferPlan).serve(({ body, request }) => makePlan(deps, body, request.clientAddress))
  on(contracts.getTransferPlan).serve(async ({ params }) => {
    const plan = isUuid(params.id) ? await findPlan(deps.database.db, params.id) : undefined
    if (!plan) throw new Problem('decision-not-found', 'There is no transfer plan with this id.')
    return plan
  })
}
