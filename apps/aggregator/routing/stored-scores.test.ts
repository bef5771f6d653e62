import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepDayPartitions } from '../database/day-partitions.ts'
import { earliestIdAt } from '../ids.ts'
import { ownMigrations } from '../start.ts'
import { testAggregator } from '../testing/aggregator.ts'

it('answers decisions and policies that were stored before scores were JSON just as they were', async () => {
  const before = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const file of readdirSync(ownMigrations)) {
    if (file < '0004') cpSync(join(ownMigrations, file), join(before, file))
  }
  const database = await testDatabase()
  const { pool, close } = openDatabase(database.url, { name: 'test' })
  await migrate(pool, [sharedMigrations, before])
  rmSync(before, { recursive: true })
  const at = new Date()
  await keepDayPartitions(pool, at)
  const [snapshotId, decisionId] = [earliestIdAt(at), earliestIdAt(at).replace('8000', '9000')]
  await pool.query(
    `insert into routing_policies (name, fee, speed, uptime, liquidity) values ('Old', 0.123456, 0.5, 0, 0.376544)`,
  )
  const contenders = [
    // An issuer holds for the following lines until the next one.
    'cheap,cheap-slug,cheap.example,5000000,5,3,50,3,4,1000000000,GONE',
    'dear,dear-slug,dear.example:8080,12345678,0,0,100,0,0,99999999999999,',
    'other,other-slug,other.example,0,1,0,100,4,4,7000000000,GTWO',
  ]
  await pool.query(
    `insert into routing_snapshots (id, taken_at, asset, rail, region, failing, contenders) values ($1, $2, 'USDC', 'UPI', 'IN', $3, $4)`,
    [
      snapshotId,
      at,
      '{"status":{"count":1,"first":["asleep"]}}',
      contenders.map(line => `${line}\n`).join(''),
    ],
  )
  await pool.query(
    `insert into routing_decisions (id, decided_at, snapshot_id, policy_id, weights, amount, currency, winner, stale)
     values ($1, $2, $3, gen_random_uuid(), '400001,199999,200000,200000', 100, 'INR', 'cheap', false)`,
    [decisionId, at, snapshotId],
  )
  await close()

  const aggregator = await testAggregator({ databaseUrl: database.url })
  const { body } = await aggregator.get(`/decisions/${decisionId}`)
  const { body: policies } = await aggregator.get('/routing-policies')
  await aggregator.drop()
  await database.drop()

  expect(policies.policies.map(({ weights }: { weights: object }) => weights)).toEqual([
    { fee: 0.123456, speed: 0.5, uptime: 0, liquidity: 0.376544 },
    { fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 },
  ])
  expect(body).toMatchObject({
    weights: { fee: 0.400001, speed: 0.199999, uptime: 0.2, liquidity: 0.2 },
    amount: '100',
    eligible: 3,
    rejected: { byRule: { status: 1 } },
  })
  // The cheapest fee is 1 (fixed 0.5 and 0.005 of 100); the last takes the whole amount.
  expect(body.candidates).toEqual([
    {
      rank: 1,
      anchorId: 'dear',
      slug: 'dear-slug',
      issuer: 'GONE',
      fee: '1.2345678',
      score: expect.any(Number),
      scores: { fee: 81, speed: 100, uptime: 100, liquidity: 100 },
    },
    {
      rank: 2,
      anchorId: 'cheap',
      slug: 'cheap-slug',
      issuer: 'GONE',
      fee: '1',
      score: expect.any(Number),
      scores: { fee: 100, speed: 50, uptime: 75, liquidity: 20 },
    },
    {
      rank: 3,
      anchorId: 'other',
      slug: 'other-slug',
      issuer: 'GTWO',
      fee: '100',
      score: expect.any(Number),
      scores: { fee: 1, speed: 100, uptime: 100, liquidity: 100 },
    },
  ])
})
