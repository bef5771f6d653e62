import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { AGGREGATOR_FLAGS } from '@windlass/windlass/services.ts'
import { load } from './load.ts'
import { repeats, size } from '../stand/run.ts'
import type { ServerLoad } from './server.ts'
import { scratchPostgres } from '../stand/scratch-postgres.ts'

interface Figures {
  perSecond: number
  /** What the answering thread computed for one request, in microseconds: steady on a busy machine. */
  cpu: number
  /** What all threads of the server's process computed for one request, polling included, in microseconds. */
  process: number
  p50: number
  p99: number
  /** Lag of the server's event loop, in milliseconds. */
  lag: ServerLoad['lag']
}

interface Comparison {
  /** Medians over the rounds. */
  own: Figures
  baseline: Figures
  server: { bytes: number; eligible: number }
  /** The most that the server's process held, worker threads included. */
  megabytes: number
}

const ROUNDS = repeats(5, 2, 1)
const SECONDS = size(6, 0.2)
const WARM_SECONDS = size(2, 0.1)
// Enough that a server is kept busy while some of its requests wait for the database.
const CONNECTIONS = size(64, 4)

/**
 * Loads an endpoint and what it is compared with in turns, on one seeded aggregator in a process of its own that polls
 * all of its anchors meanwhile. `bodyOf` makes each request's body as it is sent.
 */
export async function compare(path: string, baselinePath: string, bodyOf: () => object): Promise<Comparison> {
  const postgres = await scratchPostgres()
  const fleet = fork(fileURLToPath(new URL('./anchor-fleet.ts', import.meta.url)))
  const [fleetPort] = (await once(fleet, 'message')) as [number]
  const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), {
    execArgv: [...AGGREGATOR_FLAGS],
    env: { ...process.env, BENCH_DATABASE_URL: postgres.url, FLEET_PORT: String(fleetPort) },
  })
  try {
    const server = await new Promise<{ port: number; bytes: number; eligible: number }>((resolve, reject) => {
      child.once('message', message => resolve(message as { port: number; bytes: number; eligible: number }))
      child.once('exit', code => reject(new Error(`the server exited with ${code}`)))
    })
    // The anchors and those who ask stand for other machines: the server goes first on this one.
    for (const pid of [fleet.pid ?? 0, process.pid]) setPriority(pid, 5)
    const ask = (asked: string, seconds: number) =>
      figuresOf(child, { port: server.port, path: asked, connections: CONNECTIONS, seconds, bodyOf })
    await ask(baselinePath, WARM_SECONDS)
    await ask(path, WARM_SECONDS)
    const own: Figures[] = []
    const baseline: Figures[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      baseline.push(await ask(baselinePath, SECONDS))
      own.push(await ask(path, SECONDS))
      printRound(own.at(-1) as Figures, baseline.at(-1) as Figures)
    }
    const { megabytes } = await measured(child)
    return { own: medians(own), baseline: medians(baseline), server, megabytes }
  } finally {
    const gone = new Promise(resolve => child.once('exit', resolve))
    if (child.connected) child.disconnect()
    if (child.exitCode === null) await gone
    fleet.disconnect()
    await postgres.stop()
  }
}

/** Rounds that differ much say more than their medians: the machine is not ours alone, or the server changed its ways. */
function printRound(own: Figures, baseline: Figures): void {
  const [answers, p99] = [own.perSecond / baseline.perSecond, own.p99 / baseline.p99].map(n => n.toFixed(2))
  console.log(
    `  round     ${own.perSecond.toFixed(0)}/s of ${baseline.perSecond.toFixed(0)}/s: ${answers} ×, p99 ${p99} ×, lag p99 ${own.lag.p99.toFixed(1)} ms`,
  )
}

/** What the server measured since the last time. */
async function measured(child: ChildProcess): Promise<ServerLoad> {
  child.send('measure')
  const [load] = (await once(child, 'message')) as [ServerLoad]
  return load
}

async function figuresOf(child: ChildProcess, asked: Parameters<typeof load>[0]): Promise<Figures> {
  await measured(child)
  const { answers, ...figures } = await load(asked)
  const { cpu, process: all, lag } = await measured(child)
  return { ...figures, cpu: cpu / answers, process: all / answers, lag }
}

function medians(rounds: Figures[]): Figures {
  const median = (of: (figures: Figures) => number) =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? NaN
  return {
    perSecond: median(({ perSecond }) => perSecond),
    cpu: median(({ cpu }) => cpu),
    process: median(figures => figures.process),
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
    lag: {
      p99: median(({ lag }) => lag.p99),
      max: Math.max(...rounds.map(({ lag }) => lag.max)),
      own: median(({ lag }) => lag.own),
    },
  }
}
