import { parentPort } from 'node:worker_threads'
import { describeDecision } from './answer.ts'
import { rank } from './rank.ts'
import type { Batch, Decided, Outcome, SentRoute, SentSnapshot } from './ranker.ts'
import type { PolicyWeights } from './scores.ts'
import { contender, Snapshot, type Contender } from './snapshot.ts'

/* The thread of a ranker: it decides batches of routes and writes their answers. */

const policies = new Map<string, PolicyWeights>()
/** The last snapshot of each corridor. */
const snapshots = new Map<string, Snapshot>()

parentPort?.on('message', (batch: Batch) => {
  const decided = decide(batch)
  parentPort?.postMessage(decided, [decided.bytes.buffer])
})

function decide({ policies: added, groups }: Batch): Decided {
  for (const { id, weights } of added) policies.set(id, weights)
  const outcomes: Outcome[] = []
  const answers: string[] = []
  const ends: number[] = []
  let end = 0
  for (const { forgotten, corridor, snapshot: sent, routes } of groups) {
    for (const other of forgotten) snapshots.delete(other)
    if (sent) snapshots.set(corridor, received(sent, snapshots.get(corridor)))
    const snapshot = snapshots.get(corridor) as Snapshot
    for (const route of routes) {
      const { outcome, answer } = decideOne(route, snapshot)
      outcomes.push(outcome)
      answers.push(answer)
      end += Buffer.byteLength(answer)
      ends.push(end)
    }
  }
  return { outcomes, ends, bytes: together(answers, end) }
}

function decideOne(route: SentRoute, snapshot: Snapshot): { outcome: Outcome; answer: string } {
  const { id, decidedAt, policyId, amount, currency, stale } = route
  try {
    const weights = policies.get(policyId) as PolicyWeights
    const ranking = rank(snapshot, amount, weights)
    const { winner } = ranking
    if (winner === null || !ranking.takesAmount) return { outcome: null, answer: '' }
    const transaction = { ...snapshot.support, amount, ...(currency === undefined ? {} : { currency }) }
    const decision = { id, decidedAt, policyId, weights, transaction, snapshot, winner, stale }
    return { outcome: winner, answer: JSON.stringify(describeDecision(decision, ranking)) }
  } catch (error) {
    return { outcome: { failed: String(error) }, answer: '' }
  }
}

function received({ places, fresh, ...described }: SentSnapshot, before: Snapshot | undefined): Snapshot {
  let next = 0
  const contenders = Array.from(places, place =>
    place < 0 ? contender(fresh[next++] as Contender) : (before?.contenders[place] as Contender),
  )
  return new Snapshot(described, contenders)
}

/** In bytes of their own, which are passed on without a copy. */
function together(answers: readonly string[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const answer of answers) at += bytes.write(answer, at)
  return bytes
}
