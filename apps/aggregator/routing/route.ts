import type { RouteRequest } from '@windlass/contracts/routing.ts'
import { createCounter } from '@windlass/service/metrics.ts'
import { Problem } from '@windlass/service/problem.ts'
import { timeOrderedId } from '../ids.ts'
import { writeDecision } from './answer.ts'
import type { Decision } from './decision.ts'
import type { RoutingDeps } from './deps.ts'
import type { Policy } from './policies.ts'
import { corridorOf } from './corridors.ts'
import { rank } from './rank.ts'
import { describeRejected, renderRejected, type RejectedAnchors } from './rejections.ts'
import { describeTransaction, readTransaction, type Transaction } from './transaction.ts'

type RouteDeps = Pick<RoutingDeps, 'corridors' | 'clock' | 'policies' | 'journal' | 'misses' | 'databaseUp'>

const decisions = createCounter('windlass_routing_decisions_total', 'Routing decisions', ['outcome', 'stale'])

/**
 * Selects the best anchor from memory and answers with JSON; the decision is stored soon after. While the database is
 * away, the answer is marked stale. Throws `validation-failed`, and `no-eligible-anchor` with the rule that rejected each anchor.
 */
export async function route(deps: RouteDeps, request: RouteRequest, policy: Policy): Promise<Buffer> {
  const transaction = readTransaction(request, { currency: false })
  await endOfTurn(corridorOf(transaction))
  const { id: policyId, weights } = policy
  const decidedAt = deps.clock.now()
  const snapshot = deps.corridors.snapshot(transaction, decidedAt)
  const ranking = rank(snapshot, transaction.amount, weights)
  const { winner } = ranking
  const id = timeOrderedId(decidedAt)
  const stale = !deps.databaseUp()
  const decision: Decision = { id, decidedAt, policyId, weights, transaction, snapshot, winner, stale }
  if (winner === null) {
    deps.misses.add(decision)
    decisions.inc({ outcome: 'no-eligible-anchor', stale: String(stale) })
    throw noEligibleAnchor(deps, ranking.rejected, transaction)
  }
  const written = deps.journal.add(decision)
  if (!stale && written !== null) decision.stale = !(await written)
  decisions.inc({ outcome: 'routed', stale: String(decision.stale) })
  return writeDecision(decision, ranking)
}

/** How many decisions follow each other at once. With more, other work of the event loop waits too long. */
const TOGETHER = 32

interface Waiting {
  corridor: string
  resolve(): void
}

/** Groups of requests that wait to be decided, oldest first. */
const groups: Waiting[][] = []

/**
 * Resolves once this turn of the event loop has read all requests that arrived. They are then decided one right after the
 * other, those of a corridor together, while the processor's caches still hold code and figures; a group in each turn
 * (ADR 0010).
 */
function endOfTurn(corridor: string): Promise<void> {
  return new Promise(resolve => {
    const waiting = { corridor, resolve }
    const last = groups.at(-1)
    if (last && last.length < TOGETHER) return void last.push(waiting)
    groups.push([waiting])
    if (groups.length === 1) setImmediate(decideGroup)
  })
}

function decideGroup(): void {
  const group = groups.shift() ?? []
  group.sort((a, b) => (a.corridor < b.corridor ? -1 : a.corridor > b.corridor ? 1 : 0))
  for (const { resolve } of group) resolve()
  if (groups.length > 0) setImmediate(decideGroup)
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
