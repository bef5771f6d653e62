import * as contracts from '@windlass/contracts/anchor/operator-actions.ts'
import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { anchorServerOf, fromAnchor } from './anchor-server.ts'

/** What owners and admins do with transactions. An anchor's business server does it; each step is recorded. */
export function operatorActionRoutes(on: On, deps: Deps): void {
  on(contracts.requestWorkspaceAction).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { userId } = principal
    const server = await anchorServerOf(deps, userId, anchorId)
    const by = `operator:${userId}`
    const action = await fromAnchor(
      server.call(contracts.requestAction, { params: { id }, body: { ...body, by } }),
    )
    await recordAction(deps, by, anchorId, action)
    return answer(201, action)
  })
  on(contracts.decideWorkspaceAction).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { userId } = principal
    const server = await anchorServerOf(deps, userId, anchorId)
    const by = `operator:${userId}`
    const action = await fromAnchor(
      server.call(contracts.decideAction, { params: { id }, body: { ...body, by } }),
    )
    await recordAction(deps, by, anchorId, action)
    return action
  })
}

const recorded: Record<OperatorAction['status'], string> = {
  waiting: 'transaction.action-requested',
  done: 'transaction.action-done',
  rejected: 'transaction.action-rejected',
}

async function recordAction(
  deps: Deps,
  actor: string,
  anchorId: string,
  done: OperatorAction,
): Promise<void> {
  const { id, transactionId, kind: what, reason, paymentId, account } = done
  const details = {
    ...{ id, transactionId, what, reason },
    ...(paymentId === null ? {} : { paymentId }),
    // The account itself is a customer's and stays at the anchor.
    ...(account ? { end: account.dest.slice(-4) } : {}),
  }
  const act = { actor, action: recorded[done.status], subject: `anchor:${anchorId}`, details }
  await deps.database.db.transaction().execute(tx => record(tx, act, deps.clock.now()))
}
