import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { createClient } from '@windlass/client/client.ts'
import { resolveAnchorIncident } from '@windlass/contracts/anchor/business-server.ts'
import { getJobLog, setAnchorRunning } from '@windlass/contracts/internal/control-plane.ts'
import { systemClock } from '@windlass/service/work/clock.ts'
import { platformKey, provingFetch } from '@windlass/service/http/platform-proof.ts'
import { listRoutes, removeRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createServer as createHttpServer, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'

let fixture: Fixture
let plane: ControlPlaneProcess
let plan: AnchorPlan
beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane()
  plan = somePlan(fixture)
  await plane.provision(plan)
})
afterAll(() => fixture?.stop())

const soon = { timeout: 60_000, interval: 100 }

async function pids(): Promise<number[]> {
  return (await anchorProcesses(fixture.home)).map(({ pid }) => pid).sort()
}

/** The status of the discovery file at the anchor's public domain. */
function discoveryStatus(): Promise<number> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const target = { hostname, port, path: '/.well-known/stellar.toml', headers: { host: plan.homeDomain } }
    const asked = request(target, response => resolve(response.resume().statusCode ?? 0))
    // A process that holds the port meanwhile may never answer.
    asked.setTimeout(2_000, () => asked.destroy())
    asked.on('error', () => resolve(0)).end()
  })
}

const logOf = (jobId: string) => plane.client.call(getJobLog, { params: { jobId } })

async function setRunning(running: boolean): Promise<void> {
  await plane.client.call(setAnchorRunning, { params: { anchorId: plan.anchorId }, body: { running } })
}

describe('an anchor that stands', () => {
  it('is adopted by the next life of the control plane, not doubled', async () => {
    const before = await pids()
    expect(before).toHaveLength(2)
    await plane.kill()
    plane = await fixture.startControlPlane()
    // A route that vanished tells when the reconciler has been by.
    await fixture.proxy.call(removeRoute, { params: { host: plan.homeDomain.split(':')[0] ?? '' } })
    await expect.poll(discoveryStatus, soon).toBe(200)
    expect(await pids()).toEqual(before)
  })

  it('has a server that died started again', async () => {
    const [victim, survivor] = await anchorProcesses(fixture.home)
    process.kill(victim?.pid ?? 0, 'SIGKILL')
    await expect.poll(pids, soon).not.toContain(victim?.pid)
    await expect.poll(async () => (await pids()).length, soon).toBe(2)
    expect(await pids()).toContain(survivor?.pid)
    await expect.poll(discoveryStatus, soon).toBe(200)
  })

  it.runIf(process.env.MODE === 'faults')(
    'has a server that hangs ended and started again',
    async () => {
      const [victim] = await anchorProcesses(fixture.home)
      process.kill(victim?.pid ?? 0, 'SIGSTOP')
      await expect.poll(pids, { timeout: 100_000, interval: 500 }).not.toContain(victim?.pid)
      await expect.poll(async () => (await pids()).length, soon).toBe(2)
      await expect.poll(discoveryStatus, soon).toBe(200)
    },
    150_000,
  )

  it('is down and unreachable while it is suspended, and runs again afterwards', async () => {
    await setRunning(false)
    await expect.poll(pids, soon).toEqual([])
    await expect.poll(() => fixture.proxy.call(listRoutes), soon).toEqual([])
    await expect.poll(credentialsAtSigner, soon).toEqual([null, null])
    await setRunning(true)
    await expect.poll(async () => (await pids()).length, soon).toBe(2)
    await expect.poll(discoveryStatus, soon).toBe(200)
    expect(await credentialsAtSigner()).toEqual([expect.any(String), expect.any(String)])
  })

  it('runs again after everything was killed, beside a program that has taken its port', async () => {
    const { rows } = await fixture.database.query<{ sep_port: number }>('select sep_port from anchors')
    await plane.kill()
    for (const pid of await pids()) process.kill(pid, 'SIGKILL')
    await expect.poll(pids, soon).toEqual([])
    const intruder = createServer().listen(rows[0]?.sep_port, '127.0.0.1')
    // A connection of someone else's may hold the port by now: as good as ours.
    intruder.on('error', () => undefined)
    plane = await fixture.startControlPlane()
    await expect.poll(discoveryStatus, soon).toBe(200)
    await expect.poll(pids, soon).toHaveLength(2)
    const moved = await fixture.database.query<{ business_port: number }>('select business_port from anchors')
    const apiUrl = `http://127.0.0.1:${moved.rows[0]?.business_port}`
    await expect.poll(() => fixture.platform.registry.get(jobIdOf(plan))?.apiUrl, soon).toBe(apiUrl)
    intruder.close()
  })

  it('of an earlier version gets the key that seals customers’ details, and its servers start with it', async () => {
    await plane.kill()
    await fixture.database.query("delete from anchor_secrets where role = 'details'")
    const files = readdirSync(join(fixture.home, 'anchors'), { recursive: true, encoding: 'utf8' })
    const keys = files.filter(file => file.endsWith('secrets/details_key'))
    expect(keys.length).toBeGreaterThan(0)
    for (const file of keys) rmSync(join(fixture.home, 'anchors', file))
    plane = await fixture.startControlPlane()
    const key = join(fixture.home, 'anchors', keys[0] ?? '')
    await expect
      .poll(() => existsSync(key) && readFileSync(key, 'utf8').trim(), soon)
      .toMatch(/^v1:[A-Za-z0-9+/]{43}=$/)
    await expect.poll(discoveryStatus, soon).toBe(200)
    await expect.poll(pids, soon).toHaveLength(2)
  })

  it('starts again with other rails, and keeps the accounts that they had before', async () => {
    const accounts: Record<string, object> = {
      'rails/first': { provider: 'simulated', iban: 'DE89370400440532013000' },
      'rails/second': { provider: 'simulated', iban: 'DE02120300000000202051' },
    }
    const store = createHttpServer(async (asked, answer) => {
      const { SecretId } = JSON.parse(await text(asked))
      answer.end(JSON.stringify({ SecretString: JSON.stringify(accounts[SecretId]) }))
    }).listen(0, '127.0.0.1')
    await once(store, 'listening')
    const { port } = store.address() as AddressInfo
    await plane.kill()
    plane = await fixture.startControlPlane({
      SECRETS_ENDPOINT: `http://127.0.0.1:${port}`,
      ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    })
    try {
      const versions = Object.keys(accounts).map(credentials => ({ rail: 'SEPA', credentials }))
      for (const railVersions of [versions, versions.slice(0, 1)]) {
        await plane.client.call(setAnchorRunning, {
          params: { anchorId: plan.anchorId },
          body: { running: true, rails: [...plan.rails, 'SEPA'], railVersions },
        })
      }
      const files = () => readdirSync(join(fixture.home, 'anchors'), { recursive: true, encoding: 'utf8' })
      const given = () => {
        const file = files().find(each => each.endsWith('secrets/rail_credentials.json'))
        return file ? JSON.parse(readFileSync(join(fixture.home, 'anchors', file), 'utf8')) : null
      }
      // The later message was older: it changes nothing.
      await expect.poll(given, soon).toEqual({
        versions: Object.entries(accounts).map(([, credentials]) => ({ rail: 'SEPA', credentials })),
      })
      await expect.poll(discoveryStatus, soon).toBe(200)
      await expect.poll(pids, soon).toHaveLength(2)
    } finally {
      store.close()
    }
  })

  it('is funded and issued again with the same keys after the network was reset', async () => {
    const { result } = await plane.job(jobIdOf(plan))
    await plane.kill()
    await fixture.resetNetwork()
    // Someone may have created the account again before we look.
    const fund = () => fetch(`${fixture.network.friendbotUrl}?addr=${result.distribution}`)
    // A connection that was kept from before the reset is dead.
    await fund().catch(fund)
    plane = await fixture.startControlPlane()
    await sayThatItWasReset()
    const account = `${fixture.network.url}/accounts/${result.distribution}`
    const balances = async () => {
      const answer = await fetch(account)
      return ((await answer.json()) as { balances?: object[] }).balances ?? []
    }
    const issue = { asset_code: 'MUMBAI', asset_issuer: result.issuer, balance: '1000000.0000000' }
    await expect.poll(balances, soon).toContainEqual(expect.objectContaining(issue))
    const texts = async () => (await logOf(jobIdOf(plan))).map(line => line.text)
    await expect.poll(texts, soon).toContain('Funded and issued again with the same keys.')
    const voided = expect.stringMatching(
      /^The stored transaction [0-9a-f]{64} is over: the network was reset\.$/,
    )
    expect(await texts()).toContainEqual(voided)
    const events = () => [...fixture.platform.events.values()].map(({ anchorId, kind }) => [anchorId, kind])
    await expect.poll(events, soon).toEqual([[plan.anchorId, 'ledger-reset']])
    const [event] = fixture.platform.events.values()
    expect(event?.detail).toContain('1000000 MUMBAI issued again')
  })

  it('is unknown under another id', async () => {
    const other = plane.client.call(setAnchorRunning, {
      params: { anchorId: 'nobody' },
      body: { running: false },
    })
    await expect(other).rejects.toMatchObject({ problem: { code: 'anchor-not-found' } })
  })
})

/** An operator's word, which the anchor's server waits for: until then nothing is funded. */
async function sayThatItWasReset(): Promise<void> {
  const { rows } = await fixture.database.query<{ business_port: number }>(
    'select business_port from anchors',
  )
  const folder = join(fixture.home, 'anchors')
  const secretOf = (name: string) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return readFileSync(
      join(folder, files.find(file => file.endsWith(`secrets/${name}`)) ?? ''),
      'utf8',
    ).trim()
  }
  const server = createClient({
    baseUrl: `http://127.0.0.1:${rows[0]?.business_port}`,
    headers: { 'x-service-secret': secretOf('summary_secret') },
    fetch: provingFetch(platformKey(secretOf('service_secret')), systemClock),
  })
  const pool = new pg.Pool({ connectionString: secretOf('business_database_url'), max: 1 })
  const open = async () =>
    (
      await pool.query<{ id: string }>(
        "select id from ledger_incidents where kind = 'other-chain' and resolved_at is null",
      )
    ).rows[0]?.id
  await expect.poll(open, soon).toBeDefined()
  // Both look at the ledger every second: the control plane has been by.
  await sleep(3_000)
  const { result } = await plane.job(jobIdOf(plan))
  expect((await fetch(`${fixture.network.url}/accounts/${result.issuer}`)).status).toBe(404)
  const params = { id: (await open()) ?? '' }
  const body = { outcome: 'applied' as const, resolution: 'The network was reset.', by: 'operator:asha' }
  await server.call(resolveAnchorIncident, { params, body })
  await pool.end()
}

/** By which the anchor's servers may have something signed. */
async function credentialsAtSigner(): Promise<(string | null)[]> {
  const client = new pg.Client({ connectionString: fixture.env.SIGNER_DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<Record<string, string | null>>(
    'select sep_credential, business_credential from anchors where id = $1',
    [plan.anchorId],
  )
  await client.end()
  return Object.values(rows[0] ?? {})
}
