import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { getUpgrades, requestUpgrade, setAnchorRunning } from '@windlass/contracts/internal/control-plane.ts'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../../programs.ts'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../../testing/fixture.ts'

const points = ['starting', 'started', 'healthy', 'switched', 'routed', 'decided']
const everything = process.env.MODE === 'faults'
const soon = { timeout: 60_000, interval: 100 }

let fixture: Fixture
let plane: ControlPlaneProcess
let plan: AnchorPlan
beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane()
  plan = somePlan(fixture)
  await plane.provision(plan)
  const { ANCHOR_PROGRAMS: programs = '' } = fixture.env
  const real = (role: 'sep' | 'business') => `await import(${JSON.stringify(join(programs, `${role}.mjs`))})`
  await Promise.all([
    makeRelease('0.9.0', real('sep'), real('business')),
    makeRelease('0.9.1', real('sep'), real('business')),
    makeRelease('0.9.2-exits', real('sep'), migratingAndExiting),
    makeRelease('0.9.3-lies', serverSaying('{"status":"ok"}'), real('business')),
    makeRelease('0.9.4-mute', real('sep'), 'setInterval(() => {}, 1_000)'),
  ])
})
afterAll(() => fixture?.stop())

const params = () => ({ anchorId: plan.anchorId })
const upgradeTo = (version: string) =>
  plane.client.call(requestUpgrade, { params: params(), body: { version, requestedBy: 'admin:test' } })
const upgrades = () => plane.client.call(getUpgrades, { params: params() })
const newest = async () => (await upgrades()).upgrades[0]

async function makeRelease(version: string, sep: string, business: string): Promise<void> {
  for (const [app, source] of [
    ['sep-server', sep],
    ['business-server', business],
  ] as const) {
    const folder = join(fixture.home, 'releases', version, 'apps', app)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'main.ts'), `export {}\n${source}\n`)
  }
}

/** Brings the tables to itself, as a newer release does, and does not start. */
const migratingAndExiting = `import { readFileSync } from 'node:fs'
import pg from ${JSON.stringify(import.meta.resolve('pg'))}
if (!process.argv.includes('--migrate')) {
  console.error('It serves several assets.')
  process.exit(3)
}
const client = new pg.Client(readFileSync(process.env.DATABASE_URL_FILE, 'utf8'))
await client.connect()
await client.query("insert into schema_migrations (name, sha256) values ('9000-later.sql', '') on conflict do nothing")
await client.end()`

/** Answers everything so: healthy, and not an anchor. */
const serverSaying = (text: string) =>
  `import { createServer } from 'node:http'
createServer((_, response) => response.end('${text}')).listen(Number(process.env.PORT), '127.0.0.1')`

/** Slot and version of those that run now, by their run files. */
async function running() {
  const marks = (await anchorProcesses(fixture.home)).map(({ mark }) => mark)
  return marks.map(mark => mark.replace(/^.*\//, '').replace(`${plan.anchorId}-`, '')).toSorted()
}

function discovery(): Promise<number> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const target = { hostname, port, path: '/.well-known/stellar.toml', headers: { host: plan.homeDomain } }
    const asked = request(target, response => resolve(response.resume().statusCode ?? 0))
    asked.on('error', () => resolve(0)).end()
  })
}

/** Asks all the time; resolves to what was answered but 200. */
function watchDiscovery() {
  const others: number[] = []
  let watching = true
  const watched = (async () => {
    for (; watching; await sleep(20)) {
      const status = await discovery()
      if (status !== 200) others.push(status)
    }
  })()
  return async () => {
    watching = false
    await watched
    return others
  }
}

async function settled(id: string) {
  await expect
    .poll(async () => (await upgrades()).upgrades.find(each => each.id === id)?.finishedAt, soon)
    .toBeTruthy()
  return (await upgrades()).upgrades.find(each => each.id === id)
}

/** What the servers of a pair log in with, by the folder of their slot. */
const databaseUrls = (slot: '' | 'b') =>
  Promise.all(
    ['sep', 'business'].map(server =>
      readFile(join(fixture.home, 'anchors', plan.anchorId, slot, `secrets/${server}_database_url`), 'utf8'),
    ),
  )

async function connect(url: string): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe('an upgrade of an anchor', () => {
  it('brings a new pair up beside the old one and leads over to it, without one request unanswered', async () => {
    const before = await databaseUrls('')
    const stopWatching = watchDiscovery()
    const { id } = await upgradeTo('0.9.0')
    expect(await settled(id)).toMatchObject({ state: 'succeeded', to: { version: '0.9.0' }, error: null })
    expect(await stopWatching()).toEqual([])
    expect((await upgrades()).release).toEqual({ version: '0.9.0' })
    expect(await running()).toEqual(['business-b.json', 'sep-b.json'])
    const { rows } = await fixture.database.query<{ business_port: number }>(
      'select business_port from anchors',
    )
    const apiUrl = `http://127.0.0.1:${rows[0]?.business_port}`
    expect(fixture.platform.registry.get(jobIdOf(plan))?.apiUrl).toBe(apiUrl)
    await expect.poll(() => fixture.platform.events.get(id)?.kind, soon).toBe('upgraded')
    // The new pair has passwords of its own, and the old pair's open nothing any more.
    for (const url of before)
      await expect(connect(url)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) })
    for (const url of await databaseUrls('b')) await connect(url)
  })

  it.each([
    ...(everything ? [['0.9.3-lies', 'anchor-fails-wallet-checks', '']] : []),
    // Last: it leaves a migration that no other release has.
    ['0.9.2-exits', 'server-exited', 'no way back'],
  ])('to %s fails, and the old pair serves on as if nothing had been', async (version, code, why) => {
    const before = await anchorProcesses(fixture.home)
    const stopWatching = watchDiscovery()
    const { id } = await upgradeTo(version)
    expect(await settled(id)).toMatchObject({
      state: 'failed',
      error: { code, detail: expect.stringContaining(why) },
    })
    expect(await stopWatching()).toEqual([])
    expect(await anchorProcesses(fixture.home)).toEqual(before)
    expect((await upgrades()).release).toEqual({ version: '0.9.0' })
    await expect.poll(() => fixture.platform.events.get(id)?.kind, soon).toBe('upgrade-failed')
  })

  it('whose release migrated and then failed leaves the old pair able to start again, and no older one', async () => {
    const { rows } = await fixture.database.query(`select from upgrades where state = 'failed'`)
    expect(rows).not.toEqual([])
    for (const { pid } of await anchorProcesses(fixture.home)) process.kill(pid, 'SIGKILL')
    await expect.poll(running, soon).toEqual(['business-b.json', 'sep-b.json'])
    await expect.poll(discovery, soon).toBe(200)
    const { id } = await upgradeTo('0.9.1')
    expect(await settled(id)).toMatchObject({
      state: 'failed',
      error: { code: 'server-exited', detail: expect.stringContaining('migrations') },
    })
    const [, url = ''] = await databaseUrls('b')
    const asSuperuser = Object.assign(new URL(inject('postgresUrl')), { pathname: new URL(url).pathname })
    const client = new pg.Client(asSuperuser.href)
    await client.connect()
    await client.query("delete from business.schema_migrations where name = '9000-later.sql'")
    await client.end()
  })

  it.runIf(everything)('to a release that never becomes healthy fails within its limit', async () => {
    await plane.kill()
    plane = await fixture.startControlPlane({ HEALTHY_WITHIN_SECONDS: '4' })
    const { id } = await upgradeTo('0.9.4-mute')
    expect(await settled(id)).toMatchObject({ state: 'failed', error: { code: 'server-not-healthy' } })
    expect(await running()).toEqual(['business-b.json', 'sep-b.json'])
    expect(await discovery()).toBe(200)
  })

  it.each(everything ? points : ['switched'])(
    'continues where a control plane was killed at %s',
    async point => {
      await plane.kill()
      plane = await fixture.startControlPlane({ FAULT_POINT: `upgrade:${point}` })
      const version = (await upgrades()).release?.version === '0.9.0' ? '0.9.1' : '0.9.0'
      const { id } = await upgradeTo(version)
      expect(await plane.ended).toBe('SIGKILL')
      plane = await fixture.startControlPlane()
      expect(await settled(id)).toMatchObject({ state: 'succeeded' })
      expect((await upgrades()).release).toEqual({ version })
      expect(await running()).toHaveLength(2)
      await expect.poll(discovery, soon).toBe(200)
    },
  )

  it('is made of one that sleeps, also while requests of clients wake none', async () => {
    await plane.kill()
    const sleepy = { ANCHOR_SLEEP_AFTER_SECONDS: '1', ANCHOR_SLEEP_GRACE_SECONDS: '0', ANCHORS_AWAKE: '0' }
    plane = await fixture.startControlPlane(sleepy)
    await expect.poll(running, soon).toEqual([])
    const version = (await upgrades()).release?.version === '0.9.0' ? '0.9.1' : '0.9.0'
    const { id } = await upgradeTo(version)
    expect(await settled(id)).toMatchObject({ state: 'succeeded', to: { version }, error: null })
    await plane.kill()
    plane = await fixture.startControlPlane()
    await expect.poll(async () => (await running()).length, soon).toBe(2)
  })

  it.runIf(everything)('is refused to releases that are not there, and one goes at a time', async () => {
    await expect(upgradeTo('7.7.7')).rejects.toMatchObject({ problem: { code: 'release-not-found' } })
    const image = plane.client.call(requestUpgrade, {
      params: params(),
      body: { image: 'windlass:1', requestedBy: 'admin:test' },
    })
    await expect(image).rejects.toMatchObject({ problem: { code: 'release-not-found' } })
    const asked = await Promise.all(Array.from({ length: 5 }, () => upgradeTo('0.9.0')))
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
    await expect(upgradeTo('0.9.1')).rejects.toMatchObject({ problem: { code: 'anchor-wrong-state' } })
    await settled(asked[0]?.id ?? '')
  })

  it.runIf(everything)(
    'from a release that cannot run any more stays with the new pair, whatever it answers',
    async () => {
      await fixture.database.query(`update anchors set release = '{"version": "0.0.9"}'`)
      // An upgrade that the platform itself asked for has failed: it asks for no other.
      await fixture.database.query(
        `insert into upgrades (id, anchor_id, from_release, to_release, requested_by, state, finished_at)
       select 'failed before', id, '{"version": "0.0.1"}', $1, 'control-plane', 'failed', now() from anchors`,
        [JSON.stringify({ version: VERSION })],
      )
      for (const { pid } of await anchorProcesses(fixture.home)) process.kill(pid, 'SIGKILL')
      await expect.poll(running, soon).toEqual([])
      const { id } = await upgradeTo('0.9.3-lies')
      expect(await settled(id)).toMatchObject({ state: 'succeeded', error: null })
      expect(await running()).toHaveLength(2)
      await settled((await upgradeTo('0.9.0')).id)
      expect(await discovery()).toBe(200)
    },
  )

  it.runIf(everything)('gives way to a suspension, which leaves nothing running', async () => {
    const { id } = await upgradeTo('0.9.1')
    await expect.poll(async () => (await newest())?.state, soon).not.toBe('waiting')
    await plane.client.call(setAnchorRunning, { params: params(), body: { running: false } })
    expect(await settled(id)).toMatchObject({ finishedAt: expect.any(String) })
    await expect.poll(running, soon).toEqual([])
    await plane.client.call(setAnchorRunning, { params: params(), body: { running: true } })
    await expect.poll(discovery, soon).toBe(200)
    expect(await running()).toHaveLength(2)
  })

  it.runIf(everything)('is begun by the platform’s own new release, and left at what failed', async () => {
    await fixture.database.query(`update anchors set release = '{"version": "0.0.9"}'`)
    await fixture.database.query(`delete from upgrades where requested_by = 'control-plane'`)
    await expect.poll(async () => (await newest())?.requestedBy, soon).toBe('control-plane')
    const { id } = (await newest()) ?? { id: '' }
    expect(await settled(id)).toMatchObject({ state: 'succeeded', from: { version: '0.0.9' } })
    await fixture.database.query(`update upgrades set state = 'failed' where id = $1`, [id])
    await fixture.database.query(`update anchors set release = '{"version": "0.0.9"}'`)
    await sleep(3_000)
    expect((await newest())?.id).toBe(id)
  })
})
