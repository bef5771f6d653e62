import type { RouteRequest } from '@windlass/contracts/aggregator/routing.ts'
import { createCounter } from '@windlass/service/observe/metrics.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { timeOrderedId } from '../ids.ts'
import { describeDecision } from './answer.ts'
import { rankingOf, type Decision } from './decision.ts'
import type { RoutingDeps } from './deps.ts'
import type { Policy } from './policies.ts'
import { describeRejected, renderRejected, type RejectedAnchors } from './rejections.ts'
import { describeTransaction, readTransaction, type Transaction } from './transaction.ts'

type RouteDeps = Pick<
  RoutingDeps,
  'corridors' | 'ranker' | 'clock' | 'policies' | 'journal' | 'misses' | 'databaseUp'
>

const decisions = createCounter('windlass_routing_decisions_total', 'Routing decisions', ['outcome', 'stale'])

/**
 * Selects the best anchor from memory and answers with JSON; the decision is stored soon after. While the database is
 * away, the answer is marked stale. Throws `validation-failed`, and `no-eligible-anchor` with the rule that rejected each anchor.
 */
export async function route(deps: RouteDeps, request: RouteRequest, policy: Policy): Promise<Buffer> {
  const transaction = readTransaction(request, { currency: false })
  const decidedAt = deps.clock.now()
  const undecided = {
    id: timeOrderedId(decidedAt),
    decidedAt,
    policyId: policy.id,
    weights: policy.weights,
    transaction,
    snapshot: deps.corridors.snapshot(transaction, decidedAt),
    stale: !deps.databaseUp(),
  }
  const decided = await deps.ranker.decide(undecided)
  const decision: Decision = { ...undecided, winner: decided && decided.winner }
  if (decided === null) {
    deps.misses.add(decision)
    decisions.inc({ outcome: 'no-eligible-anchor', stale: String(decision.stale) })
    throw noEligibleAnchor(deps, rankingOf(decision).rejected, transaction)
  }
  const answer = await stored(deps, decision, decided.answer)
  decisions.inc({ outcome: 'routed', stale: String(decision.stale) })
  return answer
}

/** Has a decision stored soon. An answer that has to wait for that says whether it was. */
async function stored({ journal }: RouteDeps, decision: Decision, answer: Buffer): Promise<Buffer> {
  const written = journal.add(decision)
  if (decision.stale || written === null || (await written)) return answer
  decision.stale = true
  return Buffer.from(JSON.stringify(describeDecision(decision)))
}

/** `stale: true` says that the database is away, as in an answer. */
export function noEligibleAnchor(
  { databaseUp }: Pick<RoutingDeps, 'databaseUp'>,
  rejected: RejectedAnchors,
  transaction: Transaction,
): Problem {
  const why = describeRejected(rejected)
  return new Problem(
    'no-eligible-anchor',
    `No anchor can take ${describeTransaction(transaction)}${why || '; none is registered'}.`,
    {
      extensions: {
        rejected: renderRejected(rejected, transaction),
        ...(databaseUp() ? {} : { stale: true }),
      },
    },
  )
}
