import { systemClock } from '@windlass/service/work/clock.ts'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { report } from './stand/report.ts'
import { firstByte } from './stand/first-byte.ts'
import { size } from './stand/run.ts'
import { percentile } from './stand/percentile.ts'
import { childrenOf, machineTime, processorTime, residentMegabytes } from './stand/process-costs.ts'
import { provision, type ProvisionedAnchor } from './thousand/anchors.ts'
import {
  createCustomers,
  differencesOf,
  keepBusy,
  prepareSecondPayment,
  type Customer,
} from './thousand/busy.ts'
import { raiseIn } from './thousand/stack.ts'

/*
 * Many anchors on one machine, most of them asleep: what each costs, how fast they wake, and whether money stays exact at
 * those that are busy while services are killed, and at those that sleep when everything is killed at once. Alone on the
 * machine: processor time is the machine's. Flags: --anchors 20 --busy <a twentieth> --paid <a fiftieth> --minutes 2
 * --pause 30 (seconds) --wakes 100 --seconds 60, and --folder to keep the stack: a run that was interrupted continues there.
 */
const { values: flags } = parseArgs({
  options: Object.fromEntries(
    ['anchors', 'busy', 'paid', 'minutes', 'pause', 'wakes', 'seconds', 'folder'].map(
      name => [name, { type: 'string' }] as const,
    ),
  ),
})
const numberOf = (name: string, fallback: number) => Number(flags[name] ?? fallback)
const ANCHORS = numberOf('anchors', size(20, 3))
const BUSY = numberOf('busy', Math.max(1, Math.round(ANCHORS / 20)))
/** Anchors whose wallets pay while they sleep. */
const PAID = numberOf('paid', Math.max(1, Math.round(ANCHORS / 50)))
const MINUTES = numberOf('minutes', size(2, 0.02))
/** Milliseconds from the end of a customer's transfer to the start of the next. */
const PAUSE_MS = numberOf('pause', size(30, 1)) * 1_000
const WAKES = Math.min(numberOf('wakes', size(100, 1)), ANCHORS - BUSY - PAID)
const SECONDS = numberOf('seconds', size(60, 1))
/** Longer than a customer's pause: a busy anchor stays awake. */
const SLEEP_AFTER_S = size(15, 4) + PAUSE_MS / 1_000
/** What was due while the stack was down wakes anchors one after the other. */
const QUIET_MS = size(30_000, 500)
/** After its start the control plane looks at every account within two minutes. */
const LOOKS_MS = size(150_000, 0)
const KILL_EVERY_MS = size(15_000, 1_000)
/** Services that are killed; the supervisor starts them again. */
const KILLED = ['aggregator', 'platform-api', 'control-plane', 'ledger-gateway', 'signer', 'reverse-proxy']
const POLLED = ['control-plane', 'aggregator', 'platform-api', 'reverse-proxy', 'ledger-gateway']

const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'windlass-thousand-'))
const began = performance.now()
const stack = await raiseIn(folder, {
  ANCHOR_SLEEP_AFTER_SECONDS: String(SLEEP_AFTER_S),
  ANCHOR_SLEEP_GRACE_SECONDS: '2',
  ANCHORS_AWAKE: String(BUSY + 40),
  ANCHOR_WAKES_PER_CLIENT: String(10 * ANCHORS),
})
const { variables } = stack
const home = join(folder, 'home')
const pidIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid
const pidOf = (service: string) => pidIn(join(home, 'run', `${service}.json`))
const postgresPid = () =>
  Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
const superuser = new pg.Pool({ connectionString: variables.ANCHORS_DATABASE_URL, max: 1 })
// Postgres is killed, too.
superuser.on('error', () => undefined)
try {
  const base = await costsWithoutAnchors()
  const anchors = await provision(variables, folder, ANCHORS)
  report('thousand: anchors that the registry lists', (await countListed()) / ANCHORS, { atLeast: 1 })
  await sleep(Math.max(0, began + LOOKS_MS - performance.now()))
  await untilQuiet()
  await measureSleep(anchors.length, base)
  const paid = await killAllAsTheySleep(anchors.slice(BUSY, BUSY + PAID))
  const customers = await createCustomers(variables, anchors.slice(0, BUSY))
  let over = false
  const busy = customers.map(customer => keepBusy(customer, PAUSE_MS, () => over))
  await killServices(customers)
  await wakeSample(anchors.slice(BUSY + PAID))
  await measureBusy()
  over = true
  await Promise.all(busy)
  await compareMoney([...customers, ...paid])
} finally {
  await superuser.end().catch(() => undefined)
  await stack.stop()
  if (flags.folder === undefined) rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** An interrupted run may have left some that were being provisioned. */
async function countListed(): Promise<number> {
  let [listed, next] = [0, `${variables.AGGREGATOR_URL}/anchors?limit=100`]
  while (next !== '') {
    const answer = await fetch(next)
    listed += ((await answer.json()) as { anchors: unknown[] }).anchors.length
    const [, path = ''] = /<([^>]+)>/.exec(answer.headers.get('link') ?? '') ?? []
    next = path && new URL(path, next).href
  }
  return listed
}

/** Anchors with a server that runs. */
function awake(): Set<string | undefined> {
  const files = readdirSync(join(home, 'run', 'anchors')).filter(name => name.endsWith('.json'))
  return new Set(files.map(name => name.split('-')[0]))
}

/** Counts connections of anchors' servers to Postgres, by whether the anchor sleeps. */
async function connections(): Promise<{ ofAwake: number; ofAsleep: number }> {
  const { rows } = await superuser.query<{ id: string }>(
    `select substr(datname, 8) as id from pg_stat_activity where datname like 'anchor\\_%' and usename <> current_user`,
  )
  const running = awake()
  const ofAwake = rows.filter(({ id }) => running.has(id)).length
  return { ofAwake, ofAsleep: rows.length - ofAwake }
}

function costs(): { time: number; megabytes: number } {
  const pids = [...POLLED.map(pidOf), postgresPid(), ...childrenOf(postgresPid())]
  const sum = (read: (pid: number) => number) =>
    pids.reduce((total, pid) => total + (existsSync(`/proc/${pid}`) ? read(pid) : 0), 0)
  return { time: sum(processorTime), megabytes: sum(residentMegabytes) }
}

interface Cost {
  /** Share of a core, in percent. */
  percent: number
  megabytes: number
}

/** Measures the services and Postgres of this stack before it has an anchor. */
async function costsWithoutAnchors(): Promise<Cost> {
  const file = join(folder, 'without-anchors.json')
  if (!existsSync(file)) {
    const before = costs()
    await sleep(SECONDS * 1_000)
    const { time, megabytes } = costs()
    writeFileSync(file, JSON.stringify({ percent: (100 * (time - before.time)) / SECONDS, megabytes }))
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Cost
}

/** What services and Postgres do more while all sleep than without any. */
async function measureSleep(count: number, base: Cost): Promise<void> {
  const perService = () => new Map(POLLED.map(name => [name, processorTime(pidOf(name))]))
  const [before, services, machine] = [costs(), perService(), machineTime()]
  const { ofAsleep } = await connections()
  await sleep(SECONDS * 1_000)
  const share = (seconds: number) => ((100 * seconds) / SECONDS).toFixed(2)
  for (const [name, time] of perService())
    console.log(`  ${name}: ${share(time - (services.get(name) ?? 0))} % of a core`)
  const after = costs()
  const percent = (100 * (after.time - before.time)) / SECONDS
  console.log(`  the machine: ${share(machineTime() - machine)} % of a core`)
  console.log(
    `  services and Postgres: ${percent.toFixed(2)} %, without anchors ${base.percent.toFixed(2)} %; ` +
      `${after.megabytes.toFixed(0)} MB, without anchors ${base.megabytes.toFixed(0)} MB`,
  )
  report(
    'thousand: percent of a core for an anchor that sleeps, to 0.01',
    (percent - base.percent) / count / 0.01,
    {
      atMost: 1,
    },
  )
  report('thousand: connections of all that sleep', ofAsleep, { atMost: 0 })
}

/** Wallets pay anchors that sleep, and at that moment every process dies but the ledger, which is another's machine. */
async function killAllAsTheySleep(anchors: readonly ProvisionedAnchor[]): Promise<Customer[]> {
  const customers = await createCustomers(variables, anchors)
  const payments = []
  for (const customer of customers) payments.push(await prepareSecondPayment(customer))
  const paidAnchors = new Set(anchors.map(({ id }) => id))
  await until(async () => paidAnchors.isDisjointFrom(awake()))
  await Promise.all(payments.map(({ pay }) => pay()))
  const killed = killAll()
  const killedAt = performance.now()
  const since = () => `${((performance.now() - killedAt) / 1_000).toFixed(1)} s`
  await until(async () => (await countListed()) >= ANCHORS)
  console.log(`  ${killed} processes killed at once; all anchors are listed again after ${since()}`)
  for (const { isBack } of payments) await until(isBack)
  console.log(`  what ${payments.length} wallets paid while the anchors slept is back after ${since()}`)
  return customers
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await sleep(500)
}

/** Until only those are awake that stay so, such as with transfers that an interrupted run left open. */
async function untilQuiet(): Promise<void> {
  let running = awake()
  for (let since = performance.now(); performance.now() - since < QUIET_MS; await sleep(1_000)) {
    const now = awake()
    if (now.symmetricDifference(running).size > 0) since = performance.now()
    running = now
  }
  console.log(`  awake when all is quiet: ${running.size}`)
}

/** How many. */
function killAll(): number {
  const run = join(home, 'run')
  const files = [run, join(run, 'anchors')].flatMap(directory =>
    readdirSync(directory)
      .filter(name => name.endsWith('.json') && name !== 'local-network.json')
      .map(name => join(directory, name)),
  )
  const pids = new Set([...files.map(pidIn), postgresPid(), ...childrenOf(postgresPid())])
  pids.delete(process.pid)
  for (const pid of pids) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  return pids.size
}

/** One after the other, a service and a busy anchor's server each time. */
async function killServices(customers: readonly Customer[]): Promise<void> {
  const end = performance.now() + MINUTES * 60_000
  for (let turn = 0; performance.now() < end; turn++) {
    const customer = customers[turn % customers.length]
    const role = turn % 2 === 0 ? 'business' : 'sep'
    for (const file of [
      `${KILLED[turn % KILLED.length]}.json`,
      `anchors/${customer?.anchor.id}-${role}.json`,
    ]) {
      const path = join(home, 'run', file)
      if (existsSync(path)) process.kill(pidIn(path), 'SIGKILL')
    }
    await sleep(KILL_EVERY_MS)
  }
  // The last one that was killed is back, and has caught up.
  await until(async () => (await countListed()) >= ANCHORS)
  await untilQuiet()
}

/** Wakes some anchors that sleep, one after the other. */
async function wakeSample(sleeping: readonly ProvisionedAnchor[]): Promise<void> {
  const sample = sleeping
    .map(anchor => ({ anchor, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
  const times: number[] = []
  const slow: string[] = []
  // The customers are part of this program: what they delay is not the platform's.
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  let failed = 0
  for (const { anchor } of sample) {
    if (times.length + failed === WAKES) break
    while (awake().size >= BUSY + 30) await sleep(250)
    // With a transfer that an interrupted run left open, it does not sleep.
    if (awake().has(anchor.id)) continue
    const { status, ms } = await firstByte(variables, anchor.result.homeDomain ?? '')
    if (status === 200) times.push(ms)
    else failed++
    if (ms > 1_000) slow.push(`${anchor.id} ${ms.toFixed(0)} ms, over at ${systemClock.now().toISOString()}`)
    // The spare that it took is loaded again.
    await sleep(size(5_000, 100))
  }
  const [median, late] = [percentile(times, 0.5), percentile(times, 0.99)]
  console.log(
    `  ${times.length} wakes, ${failed} failed: p50 ${median.toFixed(0)} ms, p99 ${late.toFixed(0)} ms, ` +
      `at most ${Math.max(...times).toFixed(0)} ms; ` +
      `this program was late by ${(delay.percentile(99) / 1e6).toFixed(0)} ms at most in 99 of 100 turns`,
  )
  // Their logs tell what they waited for.
  for (const line of slow) console.log(`    slow: ${line}`)
  report('thousand: wakes that failed', failed, { atMost: 0 })
  report('thousand: wake to first byte, p50 to 400 ms', median / 400, { atMost: 1 })
  report('thousand: wake to first byte, p99 to 1 s', late / 1_000, { atMost: 1 })
}

async function measureBusy(): Promise<void> {
  const running = [...awake()]
  const memory = readdirSync(join(home, 'run', 'anchors'))
    .filter(name => name.endsWith('.json'))
    .map(name => pidIn(join(home, 'run', 'anchors', name)))
    // One may just have ended.
    .map(pid => (existsSync(`/proc/${pid}`) ? residentMegabytes(pid) : 0))
    .reduce((one, other) => one + other, 0)
  console.log(
    `  ${running.length} anchors awake: ${memory.toFixed(0)} MB, ${(await connections()).ofAwake} connections`,
  )
}

async function compareMoney(customers: readonly Customer[]): Promise<void> {
  const differences: string[] = []
  for (const customer of customers)
    differences.push(...(await differencesOf(customer, variables.ANCHORS_DATABASE_URL ?? '')))
  for (const line of differences) console.log(`  ${line}`)
  const sum = (read: (customer: Customer) => number) =>
    customers.reduce((total, each) => total + read(each), 0)
  console.log(`  ${sum(each => each.done)} transfers, ${sum(each => each.interrupted)} interrupted`)
  report('thousand: differences of journal, ledger and wallets', differences.length, { atMost: 0 })
}
