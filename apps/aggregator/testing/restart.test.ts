import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { childEnvironment, serviceProgram } from '@windlass/testing/processes.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownMigrations } from '../start.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { challengeFor, NETWORK, pageKey } from '../signed-logins/testing/page.ts'
import { anchor, SERVICE_SECRET } from './aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from './anchor-server.ts'
import { waitUntil } from './wait-until.ts'

let database: TestDatabase
let server: AnchorServer
const processes: ChildProcess[] = []

beforeAll(async () => {
  database = await testDatabase(sharedMigrations, ownMigrations)
  server = await startAnchorServer()
  server.on('/admin/summary', json({ status: 'ok', treasury_capacity: '777' }))
})
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL')
  await database.drop()
  await server.close()
})

const main = await serviceProgram('aggregator')

function run(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [main], {
    env: {
      ...childEnvironment(),
      DEPLOYMENT: 'local',
      SERVICE_SECRET,
      AGGREGATOR_DATABASE_URL: database.url,
      BIND_HOST: '127.0.0.1',
      AGGREGATOR_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  processes.push(child)
  return child
}

/** Starts the service as it is run and returns where it listens. */
async function started(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const child = run(env)
  let log = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.stdout?.on('data', chunk => {
    log += String(chunk)
    const port = /"port":(\d+).*"listening"/.exec(log)?.[1]
    if (port) resolve(port)
  })
  child.once('exit', () => reject(new Error(`did not start: ${log}`)))
  return { child, url: `http://127.0.0.1:${await promise}` }
}

async function send(url: string, body?: unknown) {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-service-secret': SERVICE_SECRET },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function isStored(decisionId: string): Promise<boolean> {
  const { pool, close } = openDatabase(database.url, { name: 'test' })
  const { rowCount } = await pool.query('select 1 from routing_decisions where id = $1', [decisionId])
  await close()
  return rowCount === 1
}

describe('a killed aggregator', () => {
  it('has its registry, quotes, holds, decisions, policies and uptime when it is started again', async () => {
    const first = await started()
    const wish = { amount: '100', asset: 'USDC', rail: 'UPI', currency: 'INR' }
    await send(`${first.url}/anchors`, anchor({ id: 'kept', apiUrl: server.url }))
    const quote = await send(`${first.url}/quotes`, { ...wish, firm: true })
    expect(quote.status).toBe(201)
    const policy = await send(`${first.url}/routing-policies`, {
      weights: { fee: 0.25, speed: 0.25, uptime: 0.25, liquidity: 0.25 },
    })
    // The others are stored before they are answered: the kill may come the moment after. A decision is soon after.
    const decision = await send(`${first.url}/route`, { ...wish, amount: '200' })
    await waitUntil('the decision is stored', () => isStored(decision.body.decisionId))
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')

    const second = await started()
    const { body } = await send(`${second.url}/anchors/kept`)
    expect(body).toMatchObject({
      anchor: { current_availability: true, treasury_capacity: '777' },
      uptime: { percentage: 100 },
    })
    expect(body.uptime.checks).toBeGreaterThan(0)
    expect((await send(`${second.url}/quotes/${quote.body.id}`)).body).toEqual(quote.body)
    expect((await send(`${second.url}/decisions/${decision.body.decisionId}`)).body).toEqual(decision.body)
    // 777 less the 100 that the firm quote reserves.
    expect((await send(`${second.url}/route`, { ...wish, amount: '677.0000001' })).status).toBe(404)
    const routed = await send(`${second.url}/route`, { ...wish, amount: '677' })
    expect(routed.body).toMatchObject({ anchorId: 'kept', policyId: policy.body.policy.id })
    second.child.kill('SIGTERM')
    await once(second.child, 'exit')
  })
})

describe('two aggregators, one of them killed after a wallet delivered a login', () => {
  it('give the page its login at the other one', async () => {
    const [first, second] = [await started(), await started()]
    const key = pageKey()
    const { hash, signed } = challengeFor(generateKey())
    const announced = { challengeHash: hash, networkPassphrase: NETWORK, publicKey: key.publicKey }
    const { body: place } = await send(`${first.url}/signed-logins`, announced)
    expect((await send(`${first.url}/signed-logins/${place.id}`, { xdr: signed })).status).toBe(200)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const path = `${second.url}/signed-logins/${place.id}/collection`
    const { status, body } = await send(path, { secret: place.secret })
    expect([status, key.read(place.id, body.sealed)]).toEqual([200, signed])
    expect((await send(path, { secret: place.secret })).status).toBe(404)
    second.child.kill('SIGTERM')
    await once(second.child, 'exit')
  })
})

describe('three aggregators, one of them killed', () => {
  it('continue polling every anchor, each once in a period', async () => {
    const everySecond = { HEALTH_POLL_SECONDS: '1' }
    const all = await Promise.all([started(everySecond), started(everySecond), started(everySecond)])
    const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
    const ids = Array.from({ length: 30 }, (_, n) => `polled${n}`)
    for (const id of ids) {
      server.on(`/${id}/admin/summary`, json({ status: 'ok', treasury_capacity: '5' }))
      await send(`${first.url}/anchors`, anchor({ id, slug: id, apiUrl: `${server.url}/${id}` }))
    }
    const polls = (from: number) =>
      Map.groupBy(
        server.requests.slice(from).filter(({ line }) => line.includes('/polled')),
        ({ line }) => line,
      )
    const owners = async () => {
      const { rows } = await pool.query<{ owner: string; shards: number }>(
        `select owner, count(*)::int as shards from polling_shards
         where lease_until > clock_timestamp() group by owner order by shards`,
      )
      return rows.map(({ shards }) => shards)
    }
    const { pool, close } = openDatabase(database.url, { name: 'test' })
    await waitUntil('three share the polling', async () => `${await owners()}` === '20,22,22', 20_000)
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
    await waitUntil('two share what was three’s', async () => `${await owners()}` === '32,32', 20_000)
    const from = server.requests.length
    const began = performance.now()
    await waitUntil(
      'all are polled twice',
      () => polls(from).size === ids.length && [...polls(from).values()].every(asked => asked.length >= 2),
      20_000,
    )
    const periods = Math.ceil((performance.now() - began) / 1000)
    for (const [line, asked] of polls(from)) {
      expect([line, asked.length <= periods + 1]).toEqual([line, true])
    }
    await close()
    for (const { child } of [first, third]) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})

describe('a wrong setting', () => {
  it('is one clear line and exit code 78', async () => {
    const child = run({ SERVICE_SECRET: 'short' })
    let said = ''
    child.stderr?.on('data', chunk => (said += String(chunk)))
    const [code] = await once(child, 'exit')
    expect([code, said]).toEqual([78, 'aggregator: SERVICE_SECRET must have at least 32 characters\n'])
  })
})
