import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { listSleepingAnchors } from '@windlass/contracts/internal/control-plane.ts'
import { listRoutes, removeRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { Asset, Account, BASE_FEE, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { hostSecret } from '@windlass/service/http/client-address.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { jobIdOf, type Fixture } from '../testing/fixture.ts'
import {
  addSleepingRow,
  CHALLENGE,
  SLEEPY,
  SOON,
  startSleepingAnchor,
  type SleepingAnchor,
} from '../testing/sleeping-anchor.ts'

let anchor: SleepingAnchor
let plan: AnchorPlan
let fixture: Fixture
const everything = process.env.MODE === 'faults'

beforeAll(async () => {
  anchor = await startSleepingAnchor()
  ;({ plan, fixture } = anchor)
})
afterAll(() => anchor?.fixture.stop())

const registered = () => fixture.platform.registry.get(jobIdOf(plan))
const summary = async (secret = registered()?.summarySecret ?? '') =>
  fetch(`${registered()?.apiUrl}/admin/summary`, { headers: { 'x-service-secret': secret } })

describe('an anchor that nobody uses', () => {
  it('falls asleep, and its summary and discovery file are answered without waking it', async () => {
    await anchor.untilAsleep()
    const answer = await summary()
    expect(await answer.json()).toMatchObject({
      status: 'ok',
      treasury_capacity: '1000000',
      asleepSince: expect.any(String),
    })
    const listed = await anchor.plane.client.call(listSleepingAnchors)
    expect(listed).toEqual([
      {
        anchorId: plan.anchorId,
        apiUrl: registered()?.apiUrl,
        treasury_capacity: '1000000',
        assets: [expect.objectContaining({ code: plan.asset.code })],
      },
    ])
    const discovery = await anchor.ask('/.well-known/stellar.toml')
    expect(discovery.text).toContain('WEB_AUTH_ENDPOINT')
    expect(await anchor.pids()).toEqual([])
  })

  it('gets a lost route again while it sleeps', async () => {
    await anchor.untilAsleep()
    const host = new URL(`http://${plan.homeDomain}`).hostname
    const hosts = async () => (await fixture.proxy.call(listRoutes)).map(route => route.host)
    await fixture.proxy.call(removeRoute, { params: { host } })
    expect(await hosts()).not.toContain(host)
    await expect.poll(hosts, SOON).toContain(host)
    expect(await anchor.pids()).toEqual([])
  })

  it('is woken once by a flood: a hundred requests wait and are answered, the rest may be refused', async () => {
    await anchor.untilAsleep()
    const before = anchor.wakes()
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, index) => anchor.ask(index % 2 ? CHALLENGE : '/sep24/info')),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(100)
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    await expect.poll(anchor.wakes, SOON).toBe(before + 1)
  })

  it('is not disturbed by strangers who ask for anchors that do not exist, nor is the control plane', async () => {
    const unknown = Array.from({ length: 1_200 }, (_, index) =>
      fetch(`${anchor.plane.url}/asleep/nobody${index}/sep/x`),
    )
    const statuses = new Set((await Promise.all(unknown)).map(({ status }) => status))
    expect([...statuses]).toEqual([503])
    expect((await fetch(`${anchor.plane.url}/health/live`)).status).toBe(200)
    expect((await anchor.ask(CHALLENGE)).status).toBe(200)
  })

  it('answers every request, whenever it comes while servers stop and start', async () => {
    const statuses: number[] = []
    const others = everything ? [900, 1_100, 1_600] : []
    for (const pause of [1_000, 1_300, 2_000, ...others]) {
      await sleep(pause)
      statuses.push((await anchor.ask(CHALLENGE)).status)
    }
    expect(statuses.filter(status => status !== 200)).toEqual([])
  })

  it('logs a wallet in whenever it wakes, also where what is about to serve it is killed', async () => {
    const [{ pid = 0 } = {}] = anchor.plane.logged() as { pid?: number }[]
    const kill = (found: number[]) => found.forEach(each => process.kill(each, 'SIGKILL'))
    const others = everything ? ['spares', 'none', 'servers'] : []
    for (const disturbance of ['none', ...others, 'servers', 'spares and servers']) {
      await anchor.untilAsleep()
      if (disturbance.includes('spares')) kill(sparesOf(pid))
      const login = logIn()
      if (disturbance.includes('servers')) {
        await expect.poll(anchor.pids, { ...SOON, interval: 5 }).not.toEqual([])
        kill(await anchor.pids())
      }
      expect([disturbance, await login]).toEqual([disturbance, 200])
    }
  })

  it('starts the SEP server first where a wallet logs in, and the business server once that serves', async () => {
    await anchor.untilAsleep()
    expect((await anchor.ask(CHALLENGE)).status).toBe(200)
    const runFile = join(fixture.home, 'run', 'anchors', `${plan.anchorId}-business.json`)
    await expect.poll(() => existsSync(runFile), { ...SOON, interval: 20 }).toBe(true)
    const { startedAt } = JSON.parse(readFileSync(runFile, 'utf8')) as { startedAt: string }
    const log = readFileSync(join(fixture.home, 'logs', 'anchors', `${plan.anchorId}-sep.log`), 'utf8')
    const line = log.split('\n').findLast(each => each.includes('"msg":"listening"')) ?? ''
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual((JSON.parse(line) as { time: number }).time)
  })

  it('wakes for a caller who does not have the summary secret, and refuses it', async () => {
    await anchor.untilAsleep()
    const sleeping = { apiUrl: expect.stringContaining('/asleep/'), asleepSince: expect.any(String) }
    await expect.poll(registered, SOON).toMatchObject(sleeping)
    expect((await summary('wrong')).status).toBe(401)
  })

  it('is not woken by a client that has woken as many as it may, nor while as many are awake as may be', async () => {
    await anchor.restart({ ...SLEEPY, ANCHOR_WAKES_PER_CLIENT: '1', ANCHORS_AWAKE: '1' })
    await anchor.untilAsleep()
    const other = 'sleeping0000000000'
    await addSleepingRow(fixture, other)
    // It cannot be opened, and its wake counts.
    const proven = { 'x-windlass-proxy': hostSecret(fixture.env.PROXY_SECRET ?? '', plan.homeDomain) }
    const headers = { ...proven, 'x-forwarded-for': '127.0.0.1' }
    expect((await fetch(`${anchor.plane.url}/asleep/${other}/sep/info`, { headers })).status).toBe(503)
    expect((await anchor.ask(CHALLENGE)).status).toBe(429)
    await fixture.database.query('update anchors set asleep_since = null where id = $1', [other])
    expect((await anchor.ask(CHALLENGE, '127.0.0.2')).status).toBe(503)
    expect(await anchor.pids()).toEqual([])
    await fixture.database.query('update anchors set removed_at = now() where id = $1', [other])
    expect((await anchor.ask(CHALLENGE, '127.0.0.2')).status).toBe(200)
    const metrics = await (await fetch(`${anchor.plane.url}/metrics`)).text()
    for (const reason of ['client', 'full'])
      expect(metrics).toMatch(new RegExp(`windlass_wakes_refused_total\\{reason="${reason}".*\\} 1`))
  })

  it('wakes for a payment on the ledger', async () => {
    await anchor.untilAsleep()
    const before = anchor.wakes()
    await payDistribution()
    await expect.poll(anchor.wakes, SOON).toBeGreaterThan(before)
  })

  it('wakes when something is due', async () => {
    await anchor.untilAsleep()
    const before = anchor.wakes()
    await fixture.database.query('update anchors set wake_at = now()')
    await expect.poll(anchor.wakes, SOON).toBeGreaterThan(before)
  })

  it('sleeps on when everything was killed, and wakes for the first request, even one before the restart', async () => {
    await anchor.untilAsleep()
    await anchor.plane.kill()
    const first = anchor.ask(CHALLENGE)
    await anchor.restart()
    expect((await first).status).toBe(200)
    await expect.poll(anchor.wakes, SOON).toBe(1)
  })

  it.runIf(everything).each(['sleep:recorded', 'sleep:stopping', 'wake:started'])(
    'is reached though the control plane died at %s',
    async point => {
      await anchor.untilAsleep()
      await anchor.restart({ ...SLEEPY, FAULT_POINT: point })
      await anchor.ask(CHALLENGE).catch(() => undefined)
      await anchor.plane.ended
      await anchor.restart()
      await expect.poll(async () => (await anchor.ask(CHALLENGE)).status, SOON).toBe(200)
      await anchor.untilAsleep()
    },
  )

  it('wakes where sleeping is turned off', async () => {
    await anchor.untilAsleep()
    await anchor.restart({})
    await expect.poll(async () => (await anchor.pids()).length, SOON).toBe(2)
    await expect.poll(() => registered()?.asleepSince, SOON).toBeUndefined()
  })
})

/** Logs in with the SDK (SEP-10); the status of the answer that has the token. */
async function logIn(): Promise<number> {
  const wallet = Keypair.random()
  const { status, text } = await anchor.ask(`/auth?account=${wallet.publicKey()}`)
  if (status !== 200) return status
  const { transaction, network_passphrase: passphrase } = JSON.parse(text) as Record<string, string>
  const signed = TransactionBuilder.fromXDR(transaction ?? '', passphrase ?? '')
  signed.sign(wallet)
  const answer = await anchor.ask('/auth', '127.0.0.1', JSON.stringify({ transaction: signed.toXDR() }))
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

describe('a request that a control plane holds when it ends', () => {
  const read = () => anchor.ask(CHALLENGE)
  const write = () => anchor.ask('/auth', '127.0.0.1', '{}')
  /** Under which one control plane at a time changes an anchor (`alone.ts`). */
  const ANCHOR_LOCK = 727_004

  /** Nothing wakes the anchor until the returned function is called. */
  const keepAsleep = async (): Promise<() => Promise<void>> => {
    // Its servers run on: the wake takes no time.
    await anchor.restart({ ...SLEEPY, ANCHOR_SLEEP_GRACE_SECONDS: '3600' })
    await expect.poll(() => countRows('select 1 from anchors where asleep_since is not null'), SOON).toBe(1)
    const holder = await fixture.database.connect()
    await holder.query('select pg_advisory_lock($1::int, hashtext($2))', [ANCHOR_LOCK, plan.anchorId])
    const letWake = async () => void (await holder.query('select pg_advisory_unlock_all()'))
    onTestFinished(async () => {
      await letWake()
      holder.release()
    })
    return letWake
  }
  const untilHeld = () =>
    expect
      .poll(() => countRows(`select 1 from pg_locks where classid = ${ANCHOR_LOCK} and not granted`), SOON)
      .toBe(1)
  const countRows = async (query: string) => (await fixture.database.query(query)).rows.length

  it.each([
    ['SIGUSR2', 'GET', read, 200],
    ['SIGTERM', 'POST', write, 400],
  ] as const)('is answered by the one that ends at %s: a %s', async (signal, _method, send, status) => {
    const letWake = await keepAsleep()
    const held = send()
    await untilHeld()
    const [{ pid = 0 } = {}] = anchor.plane.logged() as { pid?: number }[]
    process.kill(pid, signal)
    await expect.poll(() => anchor.plane.logged().map(({ msg }) => msg), SOON).toContain('stopping')
    await letWake()
    expect((await held).status).toBe(status)
    expect(await anchor.plane.ended).toBe('0')
  })

  it.each([
    ['answered by the next one', 'GET', read, 200],
    ['not sent again', 'POST', write, 502],
  ] as const)('is %s after SIGKILL: a %s', async (_what, _method, send, status) => {
    const letWake = await keepAsleep()
    const held = send()
    await untilHeld()
    await anchor.restart()
    await letWake()
    expect((await held).status).toBe(status)
  })
})
