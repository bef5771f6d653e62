import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ensureDatabases } from '@windlass/windlass/databases.ts'
import { DATABASES } from '@windlass/windlass/services.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Machine,
  obstacleToCluster,
  type PostgresCluster,
  startPostgresCluster,
} from './postgres-cluster.ts'
import { acknowledgesWrite, holdLock, startProbe } from './postgres-probe.ts'
import { freePorts } from './raised-stack.ts'

const wanted = process.env.MODE === 'cluster'
const obstacle = wanted ? obstacleToCluster() : null
if (obstacle) console.warn(`SKIPPED: Postgres on two machines: ${obstacle}`)

/** Within which services work again by themselves. */
const recovered = { timeout: 30_000, interval: 100 }

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
    const { POSTGRES_PORT } = await freePorts()
    cluster = await startPostgresCluster(Number(POSTGRES_PORT))
    // With the rights that Windlass sets up.
    await ensureDatabases(cluster.url, [...DATABASES], { POSTGRES_PASSWORD: 'any' })
    probe = await startProbe(cluster.url)
  }, 240_000)
  afterAll(async () => {
    await probe?.stop()
    await cluster?.stop()
  }, 60_000)

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
    other.start()
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
    const [from, to] = [await cluster.primary(), await standby()]
    from.patronictl(['switchover', '--force', '--leader', from.name, '--candidate', to.name])
    await writesAgain()
    expect(await cluster.primary()).toBe(to)
    await cluster.untilWhole()
    await nothingIsLost()
  })
})
