import type { RouteAnswer, RouteRequest } from '@windlass/contracts/routing.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { timeOrderedId } from '../ids.ts'
import { decisionOf, renderDecision, renderRejected } from './decision.ts'
import { describeRejected, describeTransaction } from './explain.ts'
import type { Policy } from './policies.ts'
import type { RejectedAnchors } from './filter.ts'
import { rank } from './rank.ts'
import { readTransaction, type Transaction } from './transaction.ts'

type RouteDeps = Pick<Deps, 'index' | 'clock' | 'policies' | 'journal' | 'databaseUp'>

/**
 * Selects the best anchor from memory, records the decision and answers it. Throws `validation-failed`, and
 * `no-eligible-anchor` with who was rejected by which rule.
 */
export function route(deps: RouteDeps, request: RouteRequest, policy: Policy): RouteAnswer {
  const transaction = readTransaction(request, { currency: false })
  const now = deps.clock.now()
  deps.index.advance(now)
  const ranking = rank(deps.index, transaction, policy.weights)
  const [winner] = ranking.top
  if (!winner) throw noEligibleAnchor(ranking.rejected, transaction)
  const decision = decisionOf(ranking, {
    id: timeOrderedId(now),
    decidedAt: now,
    policyId: policy.id,
    transaction,
    domain: deps.index.get(winner.anchorId)?.domain ?? '',
    stale: !deps.databaseUp(),
  })
  deps.journal.add(decision)
  return renderDecision(decision)
}

export function noEligibleAnchor(rejected: RejectedAnchors, transaction: Transaction): Problem {
  const told = describeRejected(rejected)
  return new Problem(
    'no-eligible-anchor',
    `No anchor can take ${describeTransaction(transaction)}${told || '; none is registered'}.`,
    { extensions: { rejected: renderRejected(rejected, transaction) } },
  )
}
