import { listFleet, resumeAnchor, suspendAnchor } from '@windlass/contracts/platform/administrators.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { queryAnchorAccount } from '@windlass/contracts/internal/internal.ts'
import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import fc from 'fast-check'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { redeemed, refusal } from '../testing/story.ts'
import { reconcileRegistry } from './registry.ts'
import { type AnchorEvent, nextStatus } from './status.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let hashes = 0

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  services.down = false
  services.registered.length = 0
  services.running.length = 0
})

async function activeAnchor(subdomain: string) {
  const { jobId, anchorId } = await redeemed(app, subdomain)
  const serviceSecretHash = String(++hashes).padStart(64, '0')
  await app.service.call(activateAnchor, { params: { jobId }, body: { ...stood, serviceSecretHash } })
  return { jobId, anchorId, body: { ...stood, serviceSecretHash } }
}
const codeOf = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return [status, problem.code]
}
const reported = (anchorId: string) => ({
  running: services.running.filter(call => call.anchorId === anchorId).map(({ running }) => running),
  registered: services.registered.filter(({ id }) => id === anchorId).map(({ status }) => status),
})
/** What `npm run anchors` prints about an anchor, as a line and as JSON. */
function printed(anchorId: string) {
  const print = (format: string) => {
    const script = fileURLToPath(new URL('./main.ts', import.meta.url))
    const env = { ...childEnvironment(), PLATFORM_DATABASE_URL: app.database.url }
    return spawnSync(process.execPath, [script, 'all', format], { env, encoding: 'utf8' }).stdout
  }
  const documents = JSON.parse(print('json')) as { id: string }[]
  return {
    line: print('text')
      .split('\n')
      .find(line => line.startsWith(anchorId)),
    document: documents.find(({ id }) => id === anchorId),
  }
}

describe('an account of an anchor', () => {
  it('is known to the platform’s services and to every other anchor, and to nobody else', async () => {
    await activeAnchor('accounts')
    const ask = (client: typeof app.service, account: string) =>
      client.call(queryAnchorAccount, { params: { account } })
    for (const account of [stood.issuer, stood.distribution])
      expect(await ask(app.service, account)).toEqual({ isAnchors: true })
    const stranger = generateKey().publicKey
    expect(await ask(app.service, stranger)).toEqual({ isAnchors: false })
    expect(await codeOf(ask(app.client({}), stranger))).toEqual([401, 'unauthenticated'])
    expect(await codeOf(ask(app.service, 'G'))).toEqual([404, 'not-found'])
  })
})

describe('suspending and resuming', () => {
  it('reaches the anchor’s servers and the registry, with a reason for the fleet', async () => {
    const { anchorId } = await activeAnchor('suspended')
    const params = { id: anchorId }
    const suspended = await admin.call(suspendAnchor, { params, body: { reason: 'Licence lapsed.' } })
    expect(suspended).toEqual({ id: anchorId, status: 'suspended' })
    await app.drain()
    expect(reported(anchorId)).toEqual({ running: [false], registered: ['active', 'suspended'] })
    expect(await admin.call(listFleet, { query: { status: 'suspended' } })).toMatchObject([
      { id: anchorId, reason: 'Licence lapsed.', homeDomain: 'suspended.anchors.localhost' },
    ])
    expect(await admin.call(resumeAnchor, { params })).toEqual({ id: anchorId, status: 'active' })
    await app.drain()
    expect(reported(anchorId)).toEqual({
      running: [false, true],
      registered: ['active', 'suspended', 'active'],
    })
  })

  it('waits for those who are down and ends in the last state that was asked for', async () => {
    const { anchorId } = await activeAnchor('patient')
    services.down = true
    await admin.call(suspendAnchor, { params: { id: anchorId }, body: {} })
    await admin.call(resumeAnchor, { params: { id: anchorId } })
    await admin.call(suspendAnchor, { params: { id: anchorId }, body: {} })
    await app.drain()
    expect(reported(anchorId).running).toEqual([])
    services.down = false
    await app.database.pool.query('update outbox set next_at = now() where delivered_at is null')
    await app.drain()
    expect(reported(anchorId).running.at(-1)).toBe(false)
    expect(reported(anchorId).registered.at(-1)).toBe('suspended')
  })

  it('belongs to the anchor’s state', async () => {
    const { anchorId } = await activeAnchor('stateful')
    const params = { id: anchorId }
    expect(await codeOf(admin.call(resumeAnchor, { params }))).toEqual([409, 'anchor-wrong-state'])
    await admin.call(suspendAnchor, { params, body: {} })
    expect(await codeOf(admin.call(suspendAnchor, { params, body: {} }))).toEqual([409, 'anchor-wrong-state'])
  })

  it('outlasts what the control plane tells: a suspended anchor that moved stays suspended', async () => {
    const { jobId, anchorId, body } = await activeAnchor('moved')
    await admin.call(suspendAnchor, { params: { id: anchorId }, body: {} })
    await app.drain()
    const moved = { ...body, apiUrl: 'http://127.0.0.1:20009' }
    await app.service.call(activateAnchor, { params: { jobId }, body: moved })
    expect(services.registered.at(-1)).toMatchObject({
      id: anchorId,
      status: 'suspended',
      apiUrl: moved.apiUrl,
    })
    const suspended = await admin.call(listFleet, { query: { status: 'suspended' } })
    expect(suspended.map(({ id }) => id)).toContain(anchorId)
  })

  it('is not changed by an anchor’s sleep, which the fleet shows while the anchor is active', async () => {
    const { jobId, anchorId, body } = await activeAnchor('drowsy')
    const row = async () => (await admin.call(listFleet, { query: {} })).find(({ id }) => id === anchorId)
    const report = (asleepSince?: string) =>
      app.service.call(activateAnchor, {
        params: { jobId },
        body: { ...body, ...(asleepSince ? { asleepSince } : {}) },
      })
    expect(await row()).not.toHaveProperty('asleepSince')
    expect(printed(anchorId)).toMatchObject({ document: { status: 'active', asleepSince: null } })
    await report('2026-11-20T10:00:00.000Z')
    expect(await row()).toMatchObject({ status: 'active', asleepSince: '2026-11-20T10:00:00.000Z' })
    expect(printed(anchorId)).toMatchObject({
      line: expect.stringMatching(/ active .* asleep since 2026-11-20T10:00:00\.000Z$/),
      document: { status: 'active', asleepSince: '2026-11-20T10:00:00.000Z' },
    })
    await admin.call(suspendAnchor, { params: { id: anchorId }, body: {} })
    expect(await row()).not.toHaveProperty('asleepSince')
    expect(printed(anchorId)).toMatchObject({
      line: expect.not.stringContaining('asleep'),
      document: { status: 'suspended', asleepSince: null },
    })
    await admin.call(resumeAnchor, { params: { id: anchorId } })
    await report()
    expect(await row()).not.toHaveProperty('asleepSince')
  })

  it('holds against an activation that is under way', async () => {
    const { jobId, anchorId, body } = await activeAnchor('raced')
    const { resolve, promise } = Promise.withResolvers<void>()
    services.hold = promise
    const activation = app.service.call(activateAnchor, { params: { jobId }, body })
    await expect.poll(() => services.held).toBe(1)
    await admin.call(suspendAnchor, { params: { id: anchorId }, body: {} })
    resolve()
    await activation
    await app.drain()
    expect(services.registered.filter(({ id }) => id === anchorId).at(-1)).toMatchObject({
      status: 'suspended',
    })
    expect(reported(anchorId).running.at(-1)).toBe(false)
  })

  it('is refused of a control plane that ignored further assets', async () => {
    const { jobId, anchorId, body } = await activeAnchor('several')
    const eurc = { code: 'EURC', issuer: body.issuer, name: 'Euro', anchoredTo: 'EUR' }
    await app.database.pool.query(
      `update anchors set plan = jsonb_set(plan, '{furtherAssets}', $2::jsonb) where id = $1`,
      [anchorId, JSON.stringify([eurc])],
    )
    expect(await codeOf(app.service.call(activateAnchor, { params: { jobId }, body }))).toEqual([
      409,
      'anchor-wrong-state',
    ])
    await app.service.call(activateAnchor, { params: { jobId }, body: { ...body, furtherAssets: 1 } })
    expect(services.registered.at(-1)?.assets.map(({ code, capacity }) => [code, capacity])).toEqual([
      [expect.any(String), undefined],
      ['EURC', '0'],
    ])
  })

  it('is of no removed anchor', async () => {
    const { jobId, anchorId, body } = await activeAnchor('removed')
    await app.database.pool.query(`update anchors set status = 'removed' where id = $1`, [anchorId])
    expect(await codeOf(app.service.call(activateAnchor, { params: { jobId }, body }))).toEqual([
      409,
      'anchor-wrong-state',
    ])
    expect(await codeOf(admin.call(resumeAnchor, { params: { id: anchorId } }))).toEqual([
      409,
      'anchor-wrong-state',
    ])
  })

  it('is the administrator’s alone, and of anchors that exist', async () => {
    const params = { id: 'unknown' }
    expect(await codeOf(app.client().call(suspendAnchor, { params, body: {} }))).toEqual([
      401,
      'unauthenticated',
    ])
    expect(await codeOf(app.client().call(resumeAnchor, { params }))).toEqual([401, 'unauthenticated'])
    expect(await codeOf(admin.call(suspendAnchor, { params, body: {} }))).toEqual([404, 'anchor-not-found'])
    expect(await codeOf(admin.call(resumeAnchor, { params }))).toEqual([404, 'anchor-not-found'])
    expect(await codeOf(app.client().call(listFleet))).toEqual([401, 'unauthenticated'])
  })
})

describe('the registry', () => {
  const toldAgain = async (anchorId: string) => {
    const ids = await reconcileRegistry(app.deps)
    await app.drain()
    return ids.includes(anchorId)
  }

  it('receives the key that the anchor’s discovery file has to carry', async () => {
    const { anchorId } = await activeAnchor('signed')
    expect(services.registered.find(({ id }) => id === anchorId)?.signingKey).toBe(stood.signingKey)
  })

  it.each([
    ['lost', () => null],
    ['renamed', (entry: RegistryEntry) => ({ ...entry, name: 'Someone else' })],
    ['dearer', (entry: RegistryEntry) => ({ ...entry, fees: { ...entry.fees, fixed: '9' } })],
    ['cut-off', (entry: RegistryEntry) => ({ ...entry, status: 'removed' })],
    ['silent', (entry: RegistryEntry) => ({ ...entry, current_availability: false })],
  ])('hears again of an anchor whose row there is %s', async (subdomain, spoil) => {
    const { anchorId } = await activeAnchor(subdomain)
    const right = services.registry.get(anchorId)
    if (!right) throw new Error('it was not registered')
    expect(await toldAgain(anchorId)).toBe(false)
    const spoilt = spoil(right)
    if (spoilt) services.registry.set(anchorId, spoilt)
    else services.registry.delete(anchorId)
    expect(await toldAgain(anchorId)).toBe(true)
    expect(services.registry.get(anchorId)).toEqual(right)
    expect(await toldAgain(anchorId)).toBe(false)
  })
})

describe('the states of an anchor', () => {
  const events: AnchorEvent[] = ['start', 'fail', 'activate', 'suspend', 'resume', 'withdraw', 'remove']

  it('let an anchor be suspended only after it was active, and active only by activation or resuming', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), story => {
        let status: Parameters<typeof nextStatus>[0] = 'draft'
        let wasActive = false
        for (const event of story) {
          const next = nextStatus(status, event)
          if (next === null) continue
          if (next === 'active') expect(['activate', 'resume']).toContain(event)
          if (next === 'suspended') expect(wasActive).toBe(true)
          if (wasActive) expect(['active', 'suspended', 'removed']).toContain(next)
          if (next === 'removed') expect(['suspended', 'error']).toContain(status)
          wasActive ||= next === 'active'
          status = next
        }
      }),
    )
  })

  it('let nothing happen to a removed anchor', () => {
    for (const event of events) expect(nextStatus('removed', event)).toBeNull()
  })
})
