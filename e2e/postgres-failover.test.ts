import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Machine,
  obstacleToCluster,
  type PostgresCluster,
  startPostgresCluster,
} from './postgres-cluster.ts'
import { acknowledgesWrite, startProbe } from './postgres-probe.ts'
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
    probe = await startProbe(cluster.url)
  }, 240_000)
  afterAll(async () => {
    await probe?.stop()
    await cluster?.stop()
  }, 60_000)

  const urlOf = ({ address }: Machine) =>
    `postgres://postgres:${cluster.superuserPassword}@${address}:5432/postgres`

  it.each(faults)('lose no acknowledged write by a primary $what', async ({ what, begin, end }) => {
    const old = await cluster.primary()
    const since = performance.now()
    begin(old)
    await sleep(2_500)
    const late = performance.now()
    await expect.poll(() => probe.acknowledgedSince(late), recovered).toBeGreaterThan(10)
    await expect.poll(() => probe.heardSince(late), recovered).toBeGreaterThan(10)
    console.log(`primary ${what}: no write for ${probe.longestPause(since).toFixed(1)} s`)
    const now = await cluster.primary()
    if (now !== old) expect(await acknowledgesWrite(urlOf(old))).toBe(false)
    end(old)
    await cluster.untilWhole()
    if (now !== old) expect(await cluster.primary()).toBe(now)
    expect(await probe.lost()).toEqual([])
    expect(probe.surprises).toEqual([])
  })
})
