import { amountOf } from '@windlass/money/amount.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { describeDecision } from './answer.ts'
import { rank } from './rank.ts'
import { Ranker, type Undecided } from './ranker.ts'
import { readWeightNumbers } from './scores.ts'
import { contender, Snapshot, type Contender } from './snapshot.ts'

const ranker = new Ranker(createLogger('test', 'silent'))
afterAll(() => ranker.stop())

const NOW = new Date('2026-03-01T12:00:00.000Z')

const made = (n: number, fee: bigint, capacity: bigint): Contender =>
  contender({
    anchorId: `a${String(n).padStart(3, '0')}`,
    slug: `slug-${n}`,
    domain: `${n}.example`,
    issuer: `G${n}`,
    fees: { fixed: amountOf(fee), percentage: { numerator: BigInt(n), digits: 4 } },
    spread: n % 3 === 0 ? null : { numerator: BigInt(n), digits: 3 },
    capacity: amountOf(capacity),
    limits: { min: amountOf(1n), max: amountOf(10n ** 9n) },
    unknown: null,
    facts: { speed: 50, uptime: [n, 40] },
  })

const anyContenders = fc
  .uniqueArray(fc.record({ n: fc.nat(40), fee: fc.bigInt(0n, 9n), capacity: fc.bigInt(1n, 10n ** 12n) }), {
    selector: ({ n }) => n,
    maxLength: 40,
  })
  .map(all => new Map(all.map(({ n, fee, capacity }) => [n, made(n, fee, capacity)])))

/** Contenders that come or change, those that go, and whether hours pass: then the thread forgets what nobody asks for. */
const anyChange = fc.record({
  put: anyContenders,
  removed: fc.array(fc.nat(40), { maxLength: 5 }),
  hours: fc.nat(1),
})

interface Asked {
  asset: string
  policy: number
  amount: bigint
}
const anyAsked: fc.Arbitrary<Asked> = fc.record({
  asset: fc.constantFrom('USDC', 'EURT'),
  policy: fc.nat(2),
  amount: fc.bigInt(1n, 10n ** 12n),
})

const policies = [0.1, 0.3, 0.5].map((fee, n) => ({
  id: `policy-${n}`,
  weights: readWeightNumbers({ fee, speed: 0.1, uptime: 0.2, liquidity: 0.7 - fee }),
}))

const snapshotOf = (asset: string, contenders: ReadonlyMap<number, Contender>, takenAt = NOW) =>
  new Snapshot(
    { takenAt, support: { asset, rail: 'UPI' }, failing: {} },
    [...contenders].sort(([a], [b]) => a - b).map(([, one]) => one),
  )

function undecided({ asset, policy, amount }: Asked, snapshot: Snapshot): Undecided {
  const { id, weights } = policies[policy] as (typeof policies)[number]
  const transaction = { asset, rail: 'UPI', amount: amountOf(amount) }
  return { id: 'd', decidedAt: NOW, policyId: id, weights, transaction, snapshot, stale: false }
}

/** What this thread would answer. */
function expected(decision: Undecided): { winner: string; answer: string } | null {
  const ranking = rank(decision.snapshot, decision.transaction.amount, decision.weights)
  const { winner } = ranking
  return winner === null || !ranking.takesAmount
    ? null
    : { winner, answer: JSON.stringify(describeDecision({ ...decision, winner }, ranking)) }
}

it('answers as the snapshot of each route says, however many are asked at once and whatever changed before', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyChange, fc.array(anyAsked, { maxLength: 40 })), { minLength: 1, maxLength: 6 }),
      async rounds => {
        const contenders = new Map<number, Contender>()
        const asked: Undecided[] = []
        let takenAt = NOW
        for (const [{ put, removed, hours }, routes] of rounds) {
          takenAt = new Date(takenAt.getTime() + hours * 3_600_000)
          for (const [n, one] of put) contenders.set(n, one)
          for (const n of removed) contenders.delete(n)
          const snapshots = {
            USDC: snapshotOf('USDC', contenders, takenAt),
            EURT: snapshotOf('EURT', contenders, takenAt),
          }
          for (const route of routes)
            asked.push(undecided(route, snapshots[route.asset as keyof typeof snapshots]))
        }
        const decided = await Promise.all(asked.map(decision => ranker.decide(decision)))
        const read = decided.map(one => one && { winner: one.winner, answer: one.answer.toString() })
        expect(read).toEqual(asked.map(expected))
      },
    ),
    { numRuns: 100 },
  ))

it('fails a route that cannot be decided, and no other', async () => {
  const snapshot = snapshotOf('USDC', new Map([[1, made(1, 1n, 10n ** 9n)]]))
  const good = undecided({ asset: 'USDC', policy: 0, amount: 5n }, snapshot)
  const bad = { ...good, decidedAt: new Date(NaN) }
  const outcomes = await Promise.allSettled([good, bad, good].map(decision => ranker.decide(decision)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
