import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { foundersOf } from '@windlass/e2e/founders.ts'
import { report } from './stand/report.ts'
import { size } from './stand/run.ts'
import { PATIENCE_MS, raise } from './stand/stack.ts'
import { startBare } from './stand/bare.ts'

/*
 * Memory of one anchor's two servers, as the control plane runs them, against two Fastify processes that do nothing,
 * run by the same Node as it comes: once the start's work is done, and again after some hundred requests to each. Of two
 * anchors the second counts: the first one's servers leave compiled code behind for all that follow.
 */
const REQUESTS = size(400, 4)
const SETTLE_MS = size(3_000, 10)
/** Servers collect what their start left behind a minute after it. */
const STARTED_MS = size(65_000, 10)

interface Memory {
  /** Megabytes that are in memory, and with what is shared divided among its users. */
  rss: number
  pss: number
}

function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { rss: read('Rss'), pss: read('Pss') }
}

const sum = (parts: Memory[]): Memory => ({
  rss: parts.reduce((total, { rss }) => total + rss, 0),
  pss: parts.reduce((total, { pss }) => total + pss, 0),
})

async function ask(base: string, paths: readonly string[]): Promise<void> {
  for (let n = 0; n < REQUESTS; n++) await (await fetch(base + paths[n % paths.length])).arrayBuffer()
}

const PATHS = {
  sep: [
    '/.well-known/stellar.toml',
    '/sep24/info',
    '/sep38/info',
    '/auth?account=GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H',
  ],
  business: ['/health', '/interactive/nothing', '/api/v1/workspace'],
} as const

const stack = await raise()
const bare = await Promise.all([startBare(), startBare()])
try {
  const founders = foundersOf(stack.variables)
  await founders.redeem(await founders.invite(), PATIENCE_MS)
  const { anchorId } = await founders.redeem(await founders.invite(), PATIENCE_MS)
  const pair = (['sep', 'business'] as const).map(role => {
    const file = join(stack.variables.WINDLASS_HOME ?? '', 'run', 'anchors', `${anchorId}-${role}.json`)
    const { pid, port }: { pid: number; port: number } = JSON.parse(readFileSync(file, 'utf8'))
    return { role, pid, base: `http://127.0.0.1:${port}` }
  })
  const taken = () => ({
    pair: sum(pair.map(({ pid }) => memoryOf(pid))),
    bare: sum(bare.map(({ pid }) => memoryOf(pid))),
  })
  await sleep(STARTED_MS)
  const started = taken()
  await Promise.all([
    ...pair.map(({ base, role }) => ask(base, PATHS[role])),
    ...bare.map(({ base }) => ask(base, ['/'])),
  ])
  await sleep(SETTLE_MS)
  const used = taken()
  const line = (when: string, { pair, bare }: typeof started) =>
    console.log(
      `  ${when.padEnd(20)} pair ${pair.rss.toFixed(0)} MB (its share ${pair.pss.toFixed(0)}), ` +
        `two bare ${bare.rss.toFixed(0)} MB (${bare.pss.toFixed(0)})`,
    )
  console.log("Memory of an anchor's two servers")
  line('started', started)
  line(`after ${REQUESTS} requests`, used)
  report("memory: resident, an anchor's pair to two bare Fastify", used.pair.rss / used.bare.rss, {
    atMost: 1.5,
  })
  report("memory: an anchor's own part (PSS) to 100 MB", used.pair.pss / 100, { atMost: 1 })
} finally {
  for (const { stop } of bare) stop()
  await stack.remove()
}
process.exit()
