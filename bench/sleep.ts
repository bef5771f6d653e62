import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { foundersOf } from '@windlass/e2e/founders.ts'
import pg from 'pg'
import { report } from './stand/report.ts'
import { firstByte } from './stand/first-byte.ts'
import { repeats, size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'
import { percentile } from './stand/percentile.ts'

/*
 * Anchors that sleep: their connections to Postgres, and the time from the first request to the first byte of its answer,
 * one anchor after the other. Flags: --anchors 3 --rounds 3.
 */
const { values } = parseArgs({ options: { anchors: { type: 'string' }, rounds: { type: 'string' } } })
const ANCHORS = Number(values.anchors ?? size(3, 1))
const ROUNDS = Number(values.rounds ?? repeats(3, 2, 1))
/** Longer than two health checks are apart. */
const POLLED_MS = size(35_000, 100)

const stack = await raise({ ANCHOR_SLEEP_AFTER_SECONDS: '5', ANCHOR_SLEEP_GRACE_SECONDS: '1' })
const client = new pg.Client({ connectionString: stack.variables.ANCHORS_DATABASE_URL })
try {
  await client.connect()
  const founders = foundersOf(stack.variables)
  const anchors: { id: string; host: string }[] = []
  for (let anchor = 0; anchor < ANCHORS; anchor++) {
    const { anchorId, job } = await founders.redeem(await founders.invite(), PATIENCE_MS)
    anchors.push({ id: anchorId, host: job.result.homeDomain ?? '' })
  }
  const runFiles = anchors.flatMap(({ id }) =>
    ['sep', 'business'].map(role => join(stack.home, 'run', 'anchors', `${id}-${role}.json`)),
  )
  const untilAsleep = async (): Promise<void> => {
    while (runFiles.some(file => existsSync(file))) await sleep(200)
  }
  const times: number[] = []
  let failed = 0
  for (let round = 0; round < ROUNDS; round++) {
    await untilAsleep()
    if (round === 0) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname like 'anchor\\_%' and usename <> current_user`,
      )
      await sleep(POLLED_MS)
      const available = await Promise.all(anchors.map(({ id }) => isAvailable(id)))
      report('sleep: anchors that are available', available.filter(Boolean).length / ANCHORS, { atLeast: 1 })
      report('sleep: connections of all sleeping anchors', rows[0]?.count ?? NaN, { atMost: 0 })
    }
    for (const { host } of anchors) {
      const { status, ms } = await firstByte(stack.variables, host)
      if (status === 200) times.push(ms)
      else failed++
    }
  }
  const at = (share: number) => percentile(times, share)
  console.log(
    `  ${times.length} wakes, ${failed} failed: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms`,
  )
  report('sleep: wake to first byte, p50 to 400 ms', at(0.5) / 400, { atMost: 1 })
  report('sleep: wake to first byte, p99 to 1 s', at(0.99) / 1_000, { atMost: 1 })
} finally {
  await client.end().catch(() => undefined)
  await stack.remove()
}
process.exit()

/** Whether the aggregator would route to it, with every health check so far good. */
async function isAvailable(id: string): Promise<boolean> {
  const answer = await fetch(`${stack.variables.AGGREGATOR_URL}/anchors/${id}`)
  const { health, uptime } = (await answer.json()) as {
    health: { current_availability: boolean }[]
    uptime: { good: number; checks: number }
  }
  return health[0]?.current_availability === true && uptime.good === uptime.checks
}
