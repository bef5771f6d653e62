import { databaseUrl } from '@windlass/postgres/databases.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { ensureDatabases } from '@windlass/windlass/databases.ts'
import { DATABASES } from '@windlass/windlass/services.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Machine,
  obstacleToCluster,
  type PostgresCluster,
  startPostgresCluster,
} from './postgres-cluster.ts'
import { acknowledgesWrite, holdLock, startProbe } from './postgres-probe.ts'

const wanted = process.env.MODE === 'cluster'
const obstacle = wanted ? obstacleToCluster() : null
if (obstacle) console.warn(`SKIPPED: Postgres on two machines: ${obstacle}`)

/** Within which services work again by themselves. */
const recovered = { timeout: 60_000, interval: 100 }

interface Fault {
  what: string
  begin(primary: Machine): void
  end(primary: Machine): void
}
const faults: Fault[] = [
  { what: 'whose Postgres is killed', begin: node => node.kill('postgres'), end: () => undefined },
  { what: 'that loses power', begin: node => node.powerOff(), end: node => node.start() },
  { what: 'that is cut off', begin: node => node.cut(['INPUT', 'OUTPUT']), end: node => node.heal() },
  { what: 'that hears nothing', begin: node => node.cut(['INPUT']), end: node => node.heal() },
  { what: 'that nobody hears', begin: node => node.cut(['OUTPUT']), end: node => node.heal() },
  { what: 'that stands still', begin: node => node.freeze(), end: node => node.thaw() },
  { what: 'whose Patroni is killed', begin: node => node.kill('patroni'), end: node => node.startPatroni() },
]

// npm run test:cluster
describe.runIf(wanted && !obstacle)('two Postgres machines', { timeout: 240_000 }, () => {
  let cluster: PostgresCluster
  let probe: Awaited<ReturnType<typeof startProbe>>
  beforeAll(async () => {
    cluster = await startPostgresCluster(await freePort())
    // With the rights that Windlass sets up.
    await ensureDatabases(cluster.url, [...DATABASES], { POSTGRES_PASSWORD: 'any' })
    probe = await startProbe(cluster.url)
  }, 240_000)
  afterAll(async () => {
    await probe?.stop()
    await cluster?.stop()
  })

  const urlOf = ({ address }: Machine) =>
    databaseUrl(`postgres://${address}:5432`, 'postgres', 'postgres', cluster.superuserPassword)
  const standby = async () => ((await cluster.primary()) === cluster.pg1 ? cluster.pg2 : cluster.pg1)
  const writesAgain = async () => {
    const now = performance.now()
    await expect.poll(() => probe.acknowledgedSince(now), recovered).toBeGreaterThan(10)
    await expect.poll(() => probe.heardSince(now), recovered).toBeGreaterThan(10)
  }
  const nothingIsLost = async () => {
    expect(await probe.lost()).toEqual([])
    expect(probe.surprises).toEqual([])
  }

  it.each(faults)('lose no acknowledged write by a primary $what', async ({ what, begin, end }) => {
    const old = await cluster.primary()
    const lock = await holdLock(cluster.url)
    const since = performance.now()
    begin(old)
    await sleep(2_500)
    await writesAgain()
    console.log(`primary ${what}: no write for ${probe.longestPause(since).toFixed(1)} s`)
    // The holder of a lock knows that it is lost, and another can take it.
    await expect.poll(lock.isLost, recovered).toBe(true)
    await (await holdLock(cluster.url)).release()
    const now = await cluster.primary()
    if (now !== old) expect(await acknowledgesWrite(urlOf(old))).toBe(false)
    end(old)
    await cluster.untilWhole()
    if (now !== old) expect(await cluster.primary()).toBe(now)
    await nothingIsLost()
  })

  it('continue alone when the standby is lost, and together when it is back', async () => {
    const [primary, other] = [await cluster.primary(), await standby()]
    other.powerOff()
    await sleep(2_500)
    await writesAgain()
    expect(await cluster.primary()).toBe(primary)
    // What the alert WindlassStandbyLost goes by.
    expect(await primary.metric('patroni_postgres_running')).toBe(1)
    expect(await primary.metric('patroni_sync_standby')).toBe(0)
    other.start()
    await cluster.untilWhole()
    await expect.poll(() => other.metric('patroni_sync_standby'), recovered).toBe(1)
    await nothingIsLost()
  })

  it('get a new machine in place of a lost one', async () => {
    const [lost, other] = [await cluster.primary(), await standby()]
    lost.powerOff()
    const members = () => other.etcdctl('member', 'list')
    const idOf = () => new RegExp(`^(\\w+), \\w+, ${lost.name},`, 'm').exec(members())?.[1]
    const remove = async () => {
      const id = idOf()
      if (id) other.etcdctl('member', 'remove', id)
      return idOf() === undefined
    }
    // Refused while etcd itself chooses a leader.
    await expect.poll(() => remove().catch(() => false), recovered).toBe(true)
    other.etcdctl('member', 'add', lost.name, `--peer-urls=http://${lost.address}:2380`)
    lost.replaceByNew()
    lost.start()
    await writesAgain()
    expect(await cluster.primary()).toBe(other)
    await cluster.untilWhole()
    await nothingIsLost()
  })

  it('continue without etcd while they see each other', async () => {
    const primary = await cluster.primary()
    const machines = [cluster.pg1, cluster.pg2, cluster.witness]
    for (const machine of machines) machine.kill('etcd')
    // Longer than a lease.
    await sleep(25_000)
    await writesAgain()
    for (const machine of machines) machine.startEtcd()
    await cluster.untilWhole()
    expect(await cluster.primary()).toBe(primary)
    await nothingIsLost()
  })

  it('change places for maintenance', async () => {
    await cluster.untilWhole()
    const [from, to] = [await cluster.primary(), await standby()]
    // Its etcd may be just back, and not know the leader yet: a person gives the command again.
    const change = async () =>
      from.patronictl(['switchover', '--force', '--leader', from.name, '--candidate', to.name])
    await expect
      .poll(() => change().then(() => 'begun', String), { timeout: 30_000, interval: 2_000 })
      .toBe('begun')
    // The one that leaves is the primary until it has handed over.
    await expect.poll(() => cluster.primary(), { timeout: 30_000 }).toBe(to)
    await writesAgain()
    await cluster.untilWhole()
    await nothingIsLost()
  })

  it('have what a backup of the standby has, once it is restored', async () => {
    const [primary, other] = [await cluster.primary(), await standby()]
    await probe.stop()
    const query = async (text: string) => {
      const client = new pg.Client({ connectionString: cluster.url })
      await client.connect()
      return client.query<{ id: string }>(text).finally(() => client.end())
    }
    await query("insert into probe values ('before the backup')")
    const count = (await query('select id from probe')).rowCount
    const copy = other.backUp()
    await query("insert into probe values ('after the backup')")
    await other.stopPatroni()
    await primary.stopPatroni()
    primary.patronictl(['remove', 'windlass'], 'windlass\nYes I am aware\n')
    other.removeDatabases()
    primary.restore(copy)
    primary.startPatroni()
    await expect.poll(() => primary.leads().catch(() => false), { ...recovered, timeout: 60_000 }).toBe(true)
    other.startPatroni()
    await cluster.untilWhole()
    const { rows, rowCount } = await query('select id from probe')
    expect(rowCount).toBe(count)
    expect(rows).toContainEqual({ id: 'before the backup' })
  })
})
