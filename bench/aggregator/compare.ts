import autocannon from 'autocannon'
import { fork, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { benchTransaction } from './seed.ts'
import { scratchPostgres } from './scratch-postgres.ts'

interface Figures {
  perSecond: number
  /** What the server's process computed for one request, in microseconds: steady on a busy machine. */
  cpu: number
  p50: number
  p99: number
}

export interface Comparison {
  /** Medians over the rounds. */
  own: Figures
  baseline: Figures
  server: { bytes: number; eligible: number }
}

const ROUNDS = 5
const SECONDS = Number(process.env.BENCH_SECONDS) || 6
// Enough that a server is kept busy while some of its requests wait for the database.
const CONNECTIONS = 64

/** Loads an endpoint and what it is compared with in turns, on one seeded aggregator in a process of its own. */
export async function compare(path: string, baselinePath: string): Promise<Comparison> {
  const postgres = await scratchPostgres()
  const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), {
    env: { ...process.env, BENCH_DATABASE_URL: postgres.url },
  })
  try {
    const server = await new Promise<{ port: number; bytes: number; eligible: number }>((resolve, reject) => {
      child.once('message', message => resolve(message as { port: number; bytes: number; eligible: number }))
      child.once('exit', code => reject(new Error(`the server exited with ${code}`)))
    })
    const url = `http://127.0.0.1:${server.port}`
    await load(child, url + baselinePath, 2)
    await load(child, url + path, 2)
    const own: Figures[] = []
    const baseline: Figures[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      baseline.push(await load(child, url + baselinePath, SECONDS))
      own.push(await load(child, url + path, SECONDS))
    }
    return { own: medians(own), baseline: medians(baseline), server }
  } finally {
    const gone = new Promise(resolve => child.once('exit', resolve))
    if (child.connected) child.disconnect()
    if (child.exitCode === null) await gone
    await postgres.stop()
  }
}

async function load(child: ChildProcess, url: string, seconds: number): Promise<Figures> {
  const before = cpuOf(child)
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // No two alike in a row: nothing can be answered from a memory of the last.
    requests: Array.from({ length: 200 }, (_, n) => ({
      body: JSON.stringify({ amount: (60 + n * 7.31).toFixed(2), ...benchTransaction }),
    })),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  const cpu = (cpuOf(child) - before) / result.requests.total
  return { perSecond: result.requests.average, cpu, p50: result.latency.p50, p99: result.latency.p99 }
}

/** Microseconds of processor time that a process has used; 0 where there is no /proc. */
function cpuOf(child: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}

function medians(rounds: Figures[]): Figures {
  const median = (of: (figures: Figures) => number) =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? NaN
  return {
    perSecond: median(({ perSecond }) => perSecond),
    cpu: median(({ cpu }) => cpu),
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
  }
}
