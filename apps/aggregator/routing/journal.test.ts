import { fillScores } from '@windlass/contracts/aggregator/routing.ts'
import { amountOf } from '@windlass/money/amount.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { timeOrderedId } from '../ids.ts'
import type { Tables } from '../tables.ts'
import type { Decision } from './decision.ts'
import { DecisionJournal } from './journal.ts'
import { contender, Snapshot } from './snapshot.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

function snapshotOf(asset: string): Snapshot {
  const contenders = Array.from({ length: 1_000 }, (_, n) =>
    contender({
      anchorId: `a${n}`,
      slug: `slug-${n}`,
      domain: `${n}.example`,
      issuer: '',
      fees: { fixed: amountOf(1n), percentage: { numerator: 0n, digits: 0 } },
      spread: null,
      capacity: amountOf(1n),
      limits: null,
      unknown: null,
      facts: {},
    }),
  )
  return new Snapshot({ takenAt: NOW, support: { asset, rail: 'UPI' }, failing: {} }, contenders)
}

it('keeps thousands of decisions that take turns on a few snapshots until the database is back', async () => {
  // It is away from the start; what waits is found in memory.
  const pool = { query: () => Promise.reject(new Error('connect ECONNREFUSED')) }
  const journal = new DecisionJournal(
    {} as Kysely<Tables>,
    pool as unknown as pg.Pool,
    { now: () => NOW },
    createLogger('test', 'silent'),
  )
  const snapshots = [snapshotOf('USDC'), snapshotOf('EURT')]
  const decisions = Array.from({ length: 2_000 }, (_, n): Decision => {
    const snapshot = snapshots[n % 2] as Snapshot
    return {
      id: timeOrderedId(NOW),
      decidedAt: NOW,
      policyId: '',
      weights: fillScores({ fee: 1_000_000n, speed: 0n, uptime: 0n, liquidity: 0n }, 0n),
      transaction: { ...snapshot.support, amount: amountOf(1n) },
      snapshot,
      winner: 'a1',
      stale: true,
    }
  })
  for (const decision of decisions) void journal.add(decision)
  const [first] = decisions as [Decision]
  expect(await journal.find(first.id)).toBe(first)
  await journal.stop()
})
