import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { foundersOf } from '@windlass/e2e/founders.ts'
import pg from 'pg'
import { report } from './stand/report.ts'
import { repeats, size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'
import { processorTime, residentMegabytes } from './stand/process-costs.ts'

/*
 * What an anchor costs while nobody uses it: processor time and memory of its two servers, and their connections to
 * Postgres, over a minute. The platform polls it meanwhile as always. Flags: --anchors 4 --seconds 60 --settle 60.
 */
const { values } = parseArgs({
  options: { anchors: { type: 'string' }, seconds: { type: 'string' }, settle: { type: 'string' } },
})
const ANCHORS = Number(values.anchors ?? size(4, 1))
const SECONDS = Number(values.seconds ?? repeats(60, 30, 1))
const SETTLE_SECONDS = Number(values.settle ?? repeats(60, 20, 0))
const CONNECTIONS_EVERY_MS = 1_000

const roles = ['sep', 'business'] as const

const stack = await raise()
const superuser = new pg.Client({ connectionString: stack.variables.ANCHORS_DATABASE_URL })
try {
  await superuser.connect()
  const founders = foundersOf(stack.variables)
  const pids: Record<(typeof roles)[number], number[]> = { sep: [], business: [] }
  for (let anchor = 0; anchor < ANCHORS; anchor++) {
    const { anchorId } = await founders.redeem(await founders.invite(), PATIENCE_MS)
    for (const role of roles) {
      const file = join(stack.home, 'run', 'anchors', `${anchorId}-${role}.json`)
      pids[role].push((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid)
    }
  }
  const connections = async (): Promise<number> => {
    const { rows } = await superuser.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname like 'anchor\\_%' and usename <> current_user`,
    )
    return rows[0]?.count ?? 0
  }
  await sleep(SETTLE_SECONDS * 1_000)
  const total = (of: number[], read: (pid: number) => number) => of.reduce((sum, pid) => sum + read(pid), 0)
  const before = Object.fromEntries(roles.map(role => [role, total(pids[role], processorTime)]))
  const began = performance.now()
  const counts: number[] = []
  while (performance.now() - began < SECONDS * 1_000) {
    counts.push((await connections()) / ANCHORS)
    await sleep(CONNECTIONS_EVERY_MS)
  }
  const took = (performance.now() - began) / 1_000
  console.log(`${ANCHORS} idle anchors for ${took.toFixed(0)} s`)
  const share = roles.map(role => {
    const percent = (100 * (total(pids[role], processorTime) - (before[role] ?? 0))) / took / ANCHORS
    const memory = total(pids[role], residentMegabytes) / ANCHORS
    console.log(`  ${role.padEnd(9)} ${percent.toFixed(2)} % of a core, ${memory.toFixed(0)} MB`)
    return percent
  })
  counts.sort((a, b) => a - b)
  const median = counts[counts.length >> 1] ?? NaN
  console.log(
    `  connections of an anchor: ${median.toFixed(1)} (median), ${(counts.at(-1) ?? NaN).toFixed(1)} at most`,
  )
  report(
    'idle: percent of a core that an anchor takes',
    share.reduce((a, b) => a + b),
    { atMost: 0.2 },
  )
  report('idle: connections of an anchor, median', median, { atMost: 2 })
} finally {
  await superuser.end().catch(() => undefined)
  await stack.remove()
}
process.exit()
