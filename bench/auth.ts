import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { report } from './stand/report.ts'
import { scratchPostgres } from './stand/scratch-postgres.ts'
import { repeats, size } from './stand/run.ts'
import type { Ready } from './auth/server.ts'

/*
 * Sign-in of the platform API against bare handlers on the same server that send Postgres the same statements, in the
 * same transactions, and do nothing else. Loads of both in turns; medians.
 */
const ROUNDS = repeats(5, 1, 1)
const SECONDS = size(3, 0.2)
const WARM_SECONDS = size(1, 0.2)
const CONNECTIONS = size(16, 2)
let last = 0

const postgres = await scratchPostgres()
const child = fork(fileURLToPath(new URL('./auth/server.ts', import.meta.url)), {
  env: { ...process.env, BENCH_DATABASE_URL: postgres.url },
})
try {
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', message => resolve(message as Ready))
    child.once('exit', code => reject(new Error(`the server exited with ${code}`)))
  })
  for (const measured of ready.endpoints) {
    const own: Load[] = []
    const bare: Load[] = []
    await load(ready, measured.path, measured, WARM_SECONDS)
    await load(ready, measured.bare, measured, WARM_SECONDS)
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await load(ready, measured.bare, measured, SECONDS))
      own.push(await load(ready, measured.path, measured, SECONDS))
    }
    const rate = (loads: Load[]) => median(loads.map(({ rate }) => rate))
    const cost = (loads: Load[]) => median(loads.map(({ cost }) => cost)).toFixed(0)
    console.log(
      `  ${measured.path}: ${rate(own).toFixed(0)}/s, bare ${rate(bare).toFixed(0)}/s; processor ${cost(own)} µs a request, bare ${cost(bare)} µs; ${measured.statements}`,
    )
    report(`auth: requests/s of a bare handler, ${measured.path}`, rate(own) / rate(bare), {
      atLeast: 0.8,
    })
  }
} finally {
  const gone = new Promise(resolve => child.once('exit', resolve))
  if (child.connected) child.disconnect()
  if (child.exitCode === null) await gone
  await postgres.stop()
}

/** Requests a second, and µs of the server's processor time for each. */
interface Load {
  rate: number
  cost: number
}

async function load(
  ready: Ready,
  path: string,
  measured: Ready['endpoints'][number],
  seconds: number,
): Promise<Load> {
  const before = await processorTime()
  const { method, body } = measured
  const result = await autocannon({
    url: `http://127.0.0.1:${ready.port}${path}`,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        method,
        headers: { 'content-type': 'application/json', cookie: ready.cookie },
        ...(body ? { setupRequest: request => ({ ...request, body: next(body) }) } : {}),
      },
    ],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${path}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  return { rate: result.requests.average, cost: ((await processorTime()) - before) / result.requests.total }
}

async function processorTime(): Promise<number> {
  const answer = once(child, 'message')
  child.send('processor time')
  return Number((await answer)[0])
}

/** No address twice. */
function next(body: string): string {
  return body.replace('#', String(last++))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}
