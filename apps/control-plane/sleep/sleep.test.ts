import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { listSleepingAnchors } from '@windlass/contracts/control-plane.ts'
import { listRoutes, removeRoute } from '@windlass/contracts/proxy-routes.ts'
import { Asset, Account, BASE_FEE, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { hostSecret } from '@windlass/service/client-address.ts'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
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
const everything = process.env.MODE === 'faults'
const sleepy = { ANCHOR_SLEEP_AFTER_SECONDS: '1', ANCHOR_SLEEP_GRACE_SECONDS: '0' }
const soon = { timeout: 60_000, interval: 100 }

beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane(sleepy)
  plan = somePlan(fixture)
  await plane.provision(plan)
}, 150_000)
afterAll(() => fixture?.stop())

/** Ends the control plane as a power cut does; the next one has the same address. */
async function restart(env: Record<string, string> = sleepy): Promise<void> {
  await plane.kill()
  plane = await fixture.startControlPlane({ ...env, CONTROL_PLANE_PORT: new URL(plane.url).port })
}

const pids = async () => (await anchorProcesses(fixture.home)).map(({ pid }) => pid).sort()
const asleep = () => expect.poll(pids, soon).toEqual([])
/** How often this control plane has woken it, also if it sleeps again by now. */
const wakes = () => plane.logged().filter(({ msg }) => msg === 'an anchor is awake again').length

/** A request to the anchor's public domain: its status and text. */
function ask(
  path: string,
  localAddress = '127.0.0.1',
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const headers = { host: plan.homeDomain, ...(body ? { 'content-type': 'application/json' } : {}) }
    const target = { hostname, port, path, headers, localAddress, method: body ? 'POST' : 'GET' }
    request(target, response => {
      void response.toArray().then(chunks => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
      .on('error', reject)
      .end(body)
  })
}
const registered = () => fixture.platform.registry.get(jobIdOf(plan))
const summary = async (secret = registered()?.summarySecret ?? '') =>
  fetch(`${registered()?.apiUrl}/admin/summary`, { headers: { 'x-service-secret': secret } })

/** SEP-10. */
const challenge = `/auth?account=${Keypair.random().publicKey()}`

describe('an anchor that nobody uses', { timeout: 150_000 }, () => {
  it('falls asleep, and its summary and discovery file are answered without waking it', async () => {
    await asleep()
    const answer = await summary()
    expect(await answer.json()).toMatchObject({
      status: 'ok',
      treasury_capacity: '1000000',
      asleepSince: expect.any(String),
    })
    const listed = await plane.client.call(listSleepingAnchors)
    expect(listed).toEqual([
      {
        anchorId: plan.anchorId,
        apiUrl: registered()?.apiUrl,
        treasury_capacity: '1000000',
        assets: [expect.objectContaining({ code: plan.asset.code })],
      },
    ])
    const discovery = await ask('/.well-known/stellar.toml')
    expect(discovery.text).toContain('WEB_AUTH_ENDPOINT')
    expect(await pids()).toEqual([])
  })

  it('gets a lost route again while it sleeps', async () => {
    await asleep()
    const host = new URL(`http://${plan.homeDomain}`).hostname
    const hosts = async () => (await fixture.proxy.call(listRoutes)).map(route => route.host)
    await fixture.proxy.call(removeRoute, { params: { host } })
    expect(await hosts()).not.toContain(host)
    await expect.poll(hosts, soon).toContain(host)
    expect(await pids()).toEqual([])
  })

  it('is woken once by a flood: a hundred requests wait and are answered, the rest may be refused', async () => {
    await asleep()
    const before = wakes()
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, index) => ask(index % 2 ? challenge : '/sep24/info')),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(100)
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    await expect.poll(wakes, soon).toBe(before + 1)
  })

  it('is not disturbed by strangers who ask for anchors that do not exist, nor is the control plane', async () => {
    const unknown = Array.from({ length: 1_200 }, (_, index) =>
      fetch(`${plane.url}/asleep/nobody${index}/sep/x`),
    )
    const statuses = new Set((await Promise.all(unknown)).map(({ status }) => status))
    expect([...statuses]).toEqual([503])
    expect((await fetch(`${plane.url}/health/live`)).status).toBe(200)
    expect((await ask(challenge)).status).toBe(200)
  })

  it('answers every request, whenever it comes while servers stop and start', async () => {
    const statuses: number[] = []
    const others = everything ? [900, 1_100, 1_600] : []
    for (const pause of [1_000, 1_300, 2_000, ...others]) {
      await sleep(pause)
      statuses.push((await ask(challenge)).status)
    }
    expect(statuses.filter(status => status !== 200)).toEqual([])
  })

  it('logs a wallet in whenever it wakes, also where what is about to serve it is killed', async () => {
    const [{ pid = 0 } = {}] = plane.logged() as { pid?: number }[]
    const kill = (found: number[]) => found.forEach(each => process.kill(each, 'SIGKILL'))
    const others = everything ? ['spares', 'none', 'servers'] : []
    for (const disturbance of ['none', ...others, 'servers', 'spares and servers']) {
      await asleep()
      if (disturbance.includes('spares')) kill(sparesOf(pid))
      const login = logIn()
      if (disturbance.includes('servers')) {
        await expect.poll(pids, { ...soon, interval: 5 }).not.toEqual([])
        kill(await pids())
      }
      expect([disturbance, await login]).toEqual([disturbance, 200])
    }
  })

  it('wakes for a caller who does not have the summary secret, and refuses it', async () => {
    await asleep()
    const sleeping = { apiUrl: expect.stringContaining('/asleep/'), asleepSince: expect.any(String) }
    await expect.poll(registered, soon).toMatchObject(sleeping)
    expect((await summary('wrong')).status).toBe(401)
  })

  it('is not woken by a client that has woken as many as it may, nor while as many are awake as may be', async () => {
    await restart({ ...sleepy, ANCHOR_WAKES_PER_CLIENT: '1', ANCHORS_AWAKE: '1' })
    await asleep()
    const other = await addSleepingAnchor()
    // It cannot be opened, and its wake counts.
    const proven = { 'x-windlass-proxy': hostSecret(fixture.env.PROXY_SECRET ?? '', plan.homeDomain) }
    const headers = { ...proven, 'x-forwarded-for': '127.0.0.1' }
    expect((await fetch(`${plane.url}/asleep/${other}/sep/info`, { headers })).status).toBe(503)
    expect((await ask(challenge)).status).toBe(429)
    await fixture.database.query('update anchors set asleep_since = null where id = $1', [other])
    expect((await ask(challenge, '127.0.0.2')).status).toBe(503)
    expect(await pids()).toEqual([])
    await fixture.database.query('update anchors set removed_at = now() where id = $1', [other])
    expect((await ask(challenge, '127.0.0.2')).status).toBe(200)
    const metrics = await (await fetch(`${plane.url}/metrics`)).text()
    for (const reason of ['client', 'full'])
      expect(metrics).toMatch(new RegExp(`windlass_wakes_refused_total\\{reason="${reason}".*\\} 1`))
  })

  it('wakes for a payment on the ledger', async () => {
    await asleep()
    const before = wakes()
    await payDistribution()
    await expect.poll(wakes, soon).toBeGreaterThan(before)
  })

  it('wakes when something is due', async () => {
    await asleep()
    const before = wakes()
    await fixture.database.query('update anchors set wake_at = now()')
    await expect.poll(wakes, soon).toBeGreaterThan(before)
  })

  it('sleeps on when everything was killed, and wakes for the first request, even one before the restart', async () => {
    await asleep()
    await plane.kill()
    const first = ask(challenge)
    await restart()
    expect((await first).status).toBe(200)
    await expect.poll(wakes, soon).toBe(1)
  })

  it.runIf(everything).each(['sleep:recorded', 'sleep:stopping', 'wake:started'])(
    'is reached though the control plane died at %s',
    async point => {
      await asleep()
      await restart({ ...sleepy, FAULT_POINT: point })
      await ask(challenge).catch(() => undefined)
      await plane.ended
      await restart()
      await expect.poll(async () => (await ask(challenge)).status, soon).toBe(200)
      await asleep()
    },
  )

  it('wakes where sleeping is turned off', async () => {
    await asleep()
    await restart({})
    await expect.poll(async () => (await pids()).length, soon).toBe(2)
    await expect.poll(() => registered()?.asleepSince, soon).toBeUndefined()
  })
})

/** Logs in with the SDK (SEP-10); the status of the answer that has the token. */
async function logIn(): Promise<number> {
  const wallet = Keypair.random()
  const { status, text } = await ask(`/auth?account=${wallet.publicKey()}`)
  if (status !== 200) return status
  const { transaction, network_passphrase: passphrase } = JSON.parse(text) as Record<string, string>
  const signed = TransactionBuilder.fromXDR(transaction ?? '', passphrase ?? '')
  signed.sign(wallet)
  const answer = await ask('/auth', '127.0.0.1', JSON.stringify({ transaction: signed.toXDR() }))
  return answer.text.includes('"token"') ? answer.status : 0
}

/** Processes that a control plane has loaded a server's program into and that serve no anchor. */
function sparesOf(parent: number): number[] {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
  return children.map(Number).filter(pid => pid > 0 && isSpare(pid))
}

/** One that has just ended is none. */
function isSpare(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--spare=')
  } catch {
    return false
  }
}

/** A row of an anchor that has no keys and no servers. */
async function addSleepingAnchor(): Promise<string> {
  const id = 'sleeping0000000000'
  await fixture.database.query(
    `insert into anchors (id, plan, data_key, running, provisioned_at, slot, asleep_since, wake_at, last_summary, balances)
     select $1, plan, data_key, true, provisioned_at, slot, now(), wake_at, last_summary, balances from anchors`,
    [id],
  )
  return id
}

/** Sends a lumen to the anchor's distribution account, which is a top-up. */
async function payDistribution(): Promise<void> {
  const key = Keypair.random()
  const url = fixture.network.url
  await fetch(`${fixture.network.friendbotUrl}?addr=${key.publicKey()}`)
  const found = (await (await fetch(`${url}/accounts/${key.publicKey()}`)).json()) as { sequence: string }
  const { rows } = await fixture.database.query<{ public_key: string }>(
    "select public_key from anchor_secrets where role = 'distribution'",
  )
  const source = new Account(key.publicKey(), found.sequence)
  const transaction = new TransactionBuilder(source, {
    fee: BASE_FEE,
    networkPassphrase: fixture.network.passphrase,
  })
    .addOperation(
      Operation.payment({
        destination: rows[0]?.public_key ?? '',
        asset: Asset.native(),
        amount: '1',
      }),
    )
    .setTimeout(60)
    .build()
  transaction.sign(key)
  const answer = await fetch(`${url}/transactions`, {
    method: 'POST',
    body: new URLSearchParams({ tx: transaction.toXDR() }),
  })
  expect(answer.status).toBe(200)
}
