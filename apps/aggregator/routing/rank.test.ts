import { fillScores, RouteAnswer } from '@windlass/contracts/aggregator/routing.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import fc from 'fast-check'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { RegistryIndex } from '../registry/registry-index.ts'
import { describeDecision } from './answer.ts'
import { Corridors } from './corridors.ts'
import type { Decision } from './decision.ts'
import { readSeen } from '../registry/seen.ts'
import { everyEligible, placeIn, rank } from './rank.ts'
import { underBoth } from './replay.ts'
import { weightNumbers, type PolicyWeights } from './scores.ts'
import { loadSnapshot, Snapshot, storeSnapshot } from './snapshot.ts'
import { loadDecision, storeDecision } from './stored-decisions.ts'
import type { Transaction } from './transaction.ts'

interface Made {
  active: boolean
  available: boolean
  asset: string
  rail: string
  region: string
  instant: boolean
  fixed: bigint
  /** Millionths. */
  percentage: bigint
  /** Share of the exchange rate in deposits, in thousandths. */
  spread: bigint
  capacity: bigint
  checks: boolean[]
}

const NOW = new Date('2026-03-01T12:00:00.000Z')
const idOf = (n: number) => `a${String(n).padStart(4, '0')}`

function indexOf(anchors: Made[]): RegistryIndex {
  const index = new RegistryIndex({ requireDomainProof: false })
  // Registered in another order than their ids have.
  for (const [n, made] of [...anchors.entries()].reverse()) {
    index.put({
      id: idOf(n),
      slug: `slug-${n}`,
      name: '',
      domain: `${n}.example`,
      apiUrl: '',
      status: made.active ? 'active' : 'suspended',
      regions: [made.region],
      assets: [{ code: made.asset, issuer: `G${n % 3}`, anchoredTo: 'USD' }],
      rails: [made.rail],
      limits: { min: amountOf(1n), max: amountOf(1n) },
      fees: { fixed: amountOf(made.fixed), percentage: { numerator: made.percentage, digits: 6 } },
      withdrawal: null,
      railFees: new Map(),
      spread: {
        deposit: parseRate(`0.${String(made.spread).padStart(3, '0')}`),
        withdrawal: parseRate('0.5'),
      },
      seen: readSeen(null, null, parseRate(`0.${String(made.spread).padStart(3, '0')}`)),
      settlement: made.instant ? 'instant' : 'under_60_minutes',
      signingKey: null,
      summarySecret: null,
      domainVerified: false,
      external: null,
      createdAt: NOW,
      updatedAt: NOW,
      further: new Map(),
      capacity: amountOf(made.capacity),
      available: made.available,
      lastCheckedAt: NOW,
    })
    for (const good of made.checks) index.uptime.record(index.slotOf(idOf(n)), NOW.getTime() - 1000, good)
  }
  return index
}

/* Written from the specification alone, with fractions, sharing nothing with what it checks. */
type Ratio = [bigint, bigint]
const halfUp = (over: bigint, under: bigint) => (over * 2n + under) / (under * 2n)
const plus = ([a, b]: Ratio, [c, d]: Ratio): Ratio => [a * d + c * b, b * d]
const times = (n: bigint, [a, b]: Ratio): Ratio => [n * a, b]
const isMore = ([a, b]: Ratio, [c, d]: Ratio) => a * d > c * b
const same = (x: Ratio, y: Ratio) => !isMore(x, y) && !isMore(y, x)

function expected(anchors: Made[], wish: Transaction, weights: PolicyWeights) {
  const eligible = anchors
    .map((made, n) => ({ made, id: idOf(n) }))
    .filter(
      ({ made }) =>
        made.active &&
        made.available &&
        made.asset === wish.asset &&
        made.rail === wish.rail &&
        (wish.region === undefined || made.region === wish.region) &&
        made.capacity >= wish.amount,
    )
    .map(({ made, id }) => ({
      made,
      id,
      fee: made.fixed + halfUp(wish.amount * made.percentage, 1_000_000n),
      // What the customer pays more than the amount is worth: the fee, and the spread on both.
      cost:
        made.fixed +
        halfUp(made.fixed * made.spread, 1_000n) +
        halfUp(
          wish.amount * (made.percentage * (1_000n + made.spread) + 1_000_000n * made.spread),
          1_000_000_000n,
        ),
    }))
  const cheapest = eligible.reduce((low, { cost }) => (low < 0n || cost < low ? cost : low), -1n)
  const least = wish.amount / 1_000n
  const added = cheapest < least ? least - cheapest : 0n
  return eligible
    .map(({ made, id, fee, cost }) => {
      const own = cost + added
      const feeScore: Ratio = own === 0n ? [100n, 1n] : [100n * (cheapest + added), own]
      const good = BigInt(made.checks.filter(Boolean).length)
      const uptime: Ratio = made.checks.length === 0 ? [100n, 1n] : [100n * good, BigInt(made.checks.length)]
      const full: Ratio = [100n, 1n]
      const ratio: Ratio = [20n * made.capacity, wish.amount]
      const liquidity = isMore(ratio, full) ? full : ratio
      const speed: Ratio = [made.instant ? 100n : 50n, 1n]
      const sum = [
        times(weights.fee, feeScore),
        times(weights.speed, speed),
        times(weights.uptime, uptime),
        times(weights.liquidity, liquidity),
      ].reduce(plus)
      return { id, fee, feeScore, uptime, sum }
    })
    .sort((a, b) => {
      if (!same(a.sum, b.sum)) return isMore(a.sum, b.sum) ? -1 : 1
      if (!same(a.feeScore, b.feeScore)) return isMore(a.feeScore, b.feeScore) ? -1 : 1
      if (!same(a.uptime, b.uptime)) return isMore(a.uptime, b.uptime) ? -1 : 1
      return a.id < b.id ? -1 : 1
    })
}

const made: fc.Arbitrary<Made> = fc.record({
  active: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.constant(false)),
  available: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  asset: fc.oneof({ weight: 6, arbitrary: fc.constant('USDC') }, fc.constant('EURT')),
  rail: fc.oneof({ weight: 6, arbitrary: fc.constant('UPI') }, fc.constant('SEPA')),
  region: fc.oneof({ weight: 6, arbitrary: fc.constant('IN') }, fc.constant('DE')),
  instant: fc.boolean(),
  // Few values, so that ties and near ties abound; and sometimes any.
  fixed: fc.oneof(fc.constantFrom(0n, 1n, 2n, 5_000_000n), fc.bigInt(0n, 10n ** 13n)),
  percentage: fc.oneof(fc.constantFrom(0n, 1n, 5_000n, 5_001n), fc.bigInt(0n, 1_000_000n)),
  spread: fc.oneof({ weight: 3, arbitrary: fc.constant(0n) }, fc.constantFrom(1n, 20n), fc.bigInt(0n, 500n)),
  capacity: fc.oneof(
    fc.constantFrom(10n ** 9n, 5n * 10n ** 9n, 5n * 10n ** 9n - 1n, 10n ** 15n),
    fc.bigInt(0n, 2n ** 63n - 1n),
  ),
  checks: fc.oneof(
    fc.constant<boolean[]>([]),
    fc.constant<boolean[]>([true]),
    fc.array(fc.boolean(), { maxLength: 8 }),
  ),
})

const weightsOf = fc
  .tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000_000))
  .map((cuts): PolicyWeights => {
    const [a, b, c] = cuts.toSorted((x, y) => x - y) as [number, number, number]
    return fillScores(
      { fee: BigInt(a), speed: BigInt(b - a), uptime: BigInt(c - b), liquidity: BigInt(1_000_000 - c) },
      0n,
    )
  })
const standard: PolicyWeights = fillScores(
  { fee: 400_000n, speed: 200_000n, uptime: 200_000n, liquidity: 200_000n },
  0n,
)
const anyWeights = fc.oneof(fc.constant(standard), weightsOf)
const amounts = fc.oneof(fc.constantFrom(1n, 10n ** 9n, 199n), fc.bigInt(1n, 2n ** 62n)).map(amountOf)
const wishes = fc
  .record({ amount: amounts, region: fc.constantFrom('IN', undefined) })
  .map(({ amount, region }): Transaction => ({
    amount,
    asset: 'USDC',
    rail: 'UPI',
    ...(region ? { region } : {}),
  }))
const fields = fc.array(made, { maxLength: 60 })

const snapshotOf = (anchors: Made[], wish: Transaction): Snapshot =>
  new Corridors(indexOf(anchors)).snapshot(wish, NOW)

const oldSpace = (): number =>
  getHeapSpaceStatistics().find(space => space.space_name === 'old_space')?.space_used_size ?? NaN

describe('ranking', () => {
  it('agrees with every score, sum and tie recomputed from the specification', () => {
    fc.assert(
      fc.property(fields, wishes, anyWeights, (anchors, wish, weights) => {
        const snapshot = snapshotOf(anchors, wish)
        const ranking = rank(snapshot, wish.amount, weights)
        const right = expected(anchors, wish, weights)
        expect(ranking.top.map(({ anchorId, fee }) => [anchorId, fee])).toEqual(
          right.slice(0, 20).map(({ id, fee }) => [id, fee]),
        )
        expect(ranking.eligible).toBe(right.length)
        const rejected = Object.values(ranking.rejected.byRule).reduce((sum, n) => sum + n, 0)
        expect(rejected + right.length).toBe(anchors.length)
      }),
      { numRuns: 400 },
    )
  })

  it('finds the best twenty of several hundred', () => {
    const many = fc.array(made, { minLength: 400, maxLength: 450 })
    fc.assert(
      fc.property(many, wishes, anyWeights, (anchors, wish, weights) => {
        const { top } = rank(snapshotOf(anchors, wish), wish.amount, weights)
        expect(top.map(({ anchorId, fee }) => [anchorId, fee])).toEqual(
          expected(anchors, wish, weights)
            .slice(0, 20)
            .map(({ id, fee }) => [id, fee]),
        )
      }),
      { numRuns: 12 },
    )
  })

  it('tells the rank and the scores of every anchor, however low', () => {
    fc.assert(
      fc.property(fields, wishes, anyWeights, (anchors, wish, weights) => {
        const snapshot = snapshotOf(anchors, wish)
        const right = expected(anchors, wish, weights)
        const ranks = anchors.map((_, n) => placeIn(snapshot, wish.amount, weights, idOf(n))?.rank ?? null)
        expect(ranks).toEqual(anchors.map((_, n) => right.findIndex(({ id }) => id === idOf(n)) + 1 || null))
        const { eligible } = everyEligible(snapshot, wish.amount, weights)
        expect(eligible.map(({ anchorId, fee }) => [anchorId, fee])).toEqual(
          right.map(({ id, fee }) => [id, fee]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('shows scores within a hair of the exact ones', () => {
    fc.assert(
      fc.property(fields, wishes, anyWeights, (anchors, wish, weights) => {
        const right = expected(anchors, wish, weights)
        fc.pre(right.length > 0)
        const shown = rendered(decided(snapshotOf(anchors, wish), wish, weights)).candidates
        for (const [place, { sum }] of right.slice(0, 20).entries()) {
          const exact = Number((sum[0] * 10n ** 6n) / sum[1]) / 1e12
          expect(Math.abs((shown[place]?.score ?? 0) - exact)).toBeLessThan(0.00006)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is garbage as soon as it is over', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void
    const wish = { amount: parseAmount('100'), asset: 'USDC', rail: 'UPI' }
    const snapshot = snapshotOf(fc.sample(made, { numRuns: 60, seed: 1 }), wish)
    const rankSome = (): void => {
      for (let turn = 0; turn < 100; turn += 1) {
        for (let n = 0; n < 40; n += 1) rank(snapshot, wish.amount, standard)
        collect({ type: 'minor' })
      }
    }
    rankSome()
    collect({ type: 'major' })
    const before = oldSpace()
    rankSome()
    // What outlived two collections of young objects, for each of 4,000 rankings.
    expect((oldSpace() - before) / 4_000).toBeLessThan(250)
  })

  it('orders a thousand equals by their ids', () => {
    const equal: Made = {
      active: true,
      available: true,
      asset: 'USDC',
      rail: 'UPI',
      region: 'IN',
      instant: true,
      fixed: 5_000_000n,
      percentage: 5_000n,
      spread: 0n,
      capacity: 10n ** 13n,
      checks: [true],
    }
    const wish = { amount: parseAmount('100'), asset: 'USDC', rail: 'UPI' }
    const { top } = rank(
      snapshotOf(
        Array.from({ length: 1_000 }, () => equal),
        wish,
      ),
      wish.amount,
      standard,
    )
    expect(top.map(({ anchorId }) => anchorId)).toEqual(Array.from({ length: 20 }, (_, n) => idOf(n)))
  })
})

describe('a stored decision', () => {
  it('is answered again exactly as it was, from its row and its snapshot', () => {
    fc.assert(
      fc.property(fields, wishes, anyWeights, (anchors, wish, weights) => {
        fc.pre(expected(anchors, wish, weights).length > 0)
        const decision = decided(snapshotOf(anchors, wish), wish, weights)
        expect(rendered(roundTrip(decision))).toEqual(rendered(decision))
      }),
      { numRuns: 200 },
    )
  })

  it('is answered with the fields of the contract and no others, though no serializer writes them', () => {
    fc.assert(
      fc.property(fields, wishes, anyWeights, (anchors, wish, weights) => {
        fc.pre(expected(anchors, wish, weights).length > 0)
        const snapshot = snapshotOf(anchors, wish)
        const answer = rendered(decided(snapshot, wish, weights))
        expect(Value.Clean(RouteAnswer, structuredClone(answer))).toEqual(answer)
        expect(Value.Check(RouteAnswer, answer)).toBe(true)
        const { top } = rank(snapshot, wish.amount, weights)
        expect(answer.candidates).toEqual(
          top.map(({ contender, fee, score, scores, within }, place) => ({
            rank: place + 1,
            anchorId: contender.anchorId,
            slug: contender.slug,
            issuer: contender.issuer,
            fee: formatAmount(fee),
            ...(contender.spread ? { spread: formatRate(contender.spread) } : {}),
            score,
            scores,
            withinLimits: within,
          })),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('is the same where its snapshot stores only the difference to an earlier one', () => {
    fc.assert(
      fc.property(fields, fields, wishes, anyWeights, (before, after, wish, weights) => {
        fc.pre(expected(after, wish, weights).length > 0)
        const base = snapshotOf(before, wish)
        const known = new Map(base.contenders.map(contender => [JSON.stringify(contender, text), contender]))
        const { takenAt, support, failing, contenders } = snapshotOf(after, wish)
        // As corridors make it: who has not changed is the same object.
        const same = contenders.map(contender => known.get(JSON.stringify(contender, text)) ?? contender)
        const snapshot = new Snapshot({ takenAt, support, failing, base }, same)
        const decision = decided(snapshot, wish, weights)
        expect(rendered(roundTrip(decision))).toEqual(rendered(decision))
      }),
      { numRuns: 200 },
    )
  })

  it('is replayed exactly under any other weights', () => {
    fc.assert(
      fc.property(fields, wishes, weightsOf, (anchors, wish, weights) => {
        const [right] = expected(anchors, wish, weights)
        fc.pre(right !== undefined)
        const kept = roundTrip(decided(snapshotOf(anchors, wish), wish, standard))
        expect(underBoth(kept, weights)).toMatchObject({
          before: { anchorId: expected(anchors, wish, standard)[0]?.id },
          after: { anchorId: right?.id },
        })
      }),
      { numRuns: 200 },
    )
  })
})

const decided = (snapshot: Snapshot, transaction: Transaction, weights: PolicyWeights): Decision => ({
  id: '00000000-0000-4000-8000-000000000000',
  decidedAt: NOW,
  policyId: 'p',
  weights,
  transaction,
  snapshot,
  winner: rank(snapshot, transaction.amount, weights).top[0]?.anchorId ?? '',
  stale: false,
})

const rendered = (decision: Decision): RouteAnswer => JSON.parse(JSON.stringify(describeDecision(decision)))

const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

function roundTrip(decision: Decision): Decision {
  const { snapshot } = decision
  const row = (of: Snapshot) => ({ ...JSON.parse(storeSnapshot(of)), taken_at: of.takenAt })
  const loaded = loadSnapshot(row(snapshot), snapshot.base ? row(snapshot.base).contenders : {})
  const stored = JSON.parse(JSON.stringify(storeDecision(decision, weightNumbers(decision.weights))))
  return loadDecision({ ...stored, decided_at: decision.decidedAt }, loaded)
}
