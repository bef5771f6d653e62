import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { report } from './aggregator/report.ts'
import { scratchPostgres } from './aggregator/scratch-postgres.ts'
import type { Ready } from './auth/server.ts'

/*
 * Sign-in of the platform API against bare handlers on the same server that send Postgres as many statements, in the
 * same transactions, and do nothing else. Loads of both in turns; medians.
 */
const ROUNDS = 5
const SECONDS = Number(process.env.BENCH_SECONDS) || 3
const CONNECTIONS = 16
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
    const own: number[] = []
    const bare: number[] = []
    await load(ready, measured.path, measured, 1)
    await load(ready, measured.bare, measured, 1)
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await load(ready, measured.bare, measured, SECONDS))
      own.push(await load(ready, measured.path, measured, SECONDS))
    }
    console.log(
      `  ${measured.path}: ${median(own).toFixed(0)}/s, bare ${median(bare).toFixed(0)}/s, ${measured.statements}`,
    )
    report(`auth: requests/s of a bare handler, ${measured.path}`, median(own) / median(bare), {
      atLeast: 0.8,
    })
  }
} finally {
  const gone = new Promise(resolve => child.once('exit', resolve))
  if (child.connected) child.disconnect()
  if (child.exitCode === null) await gone
  await postgres.stop()
}

async function load(ready: Ready, path: string, measured: Ready['endpoints'][number], seconds: number) {
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
  return result.requests.average
}

/** No address twice. */
function next(body: string): string {
  return body.replace('#', String(last++))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}
