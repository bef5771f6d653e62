import * as contracts from '@windlass/contracts/anchor/operator-actions.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { decideAction, requestAction } from './actions.ts'

export function serveOperatorActions(on: On, deps: Deps): void {
  on(contracts.requestAction).serve(async ({ params, body }) =>
    answer(201, await requestAction(deps, params.id, body)),
  )
  on(contracts.decideAction).serve(({ params, body }) => decideAction(deps, params.id, body))
}
