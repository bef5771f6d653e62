import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { anchorProcesses, somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

const everything = process.env.MODE === 'faults'
const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

async function versions(): Promise<number[]> {
  const { rows } = await fixture.database.query<{ version: number }>(
    'select distinct get_byte(data_key, 0) as version from anchors order by 1',
  )
  return rows.map(row => row.version)
}

describe.runIf(everything)('the rotation of the master key', { timeout: 200_000 }, () => {
  it('is done beside anchors that run and others that are raised meanwhile, one control plane after the other', async () => {
    const v1 = fixture.env.MASTER_KEY ?? ''
    const v2 = `v2:${randomBytes(32).toString('base64')}`
    const planes = await Promise.all([fixture.startControlPlane(), fixture.startControlPlane()])
    const first = somePlan(fixture)
    await planes[0]?.provision(first)
    const sealed = async () => {
      const { rows } = await fixture.database.query('select * from anchor_secrets order by anchor_id, role')
      return digestOf(rows.filter((row: { anchor_id: string }) => row.anchor_id === first.anchorId))
    }
    const before = { sealed: await sealed(), servers: await anchorProcesses(fixture.home) }
    const stopAsking = askAllTheTime(first.homeDomain)

    // Known everywhere before it seals anything; sealing everywhere before the old one goes.
    const plans = [first]
    for (const [keyring, found] of [
      [`${v1},${v2}`, [1]],
      [`${v2},${v1}`, [2]],
      [v2, [2]],
    ] as const) {
      for (const index of [0, 1] as const) {
        await planes[index]?.stop()
        planes[index] = await fixture.startControlPlane({ MASTER_KEY: keyring })
        const plan = somePlan(fixture)
        plans.push(plan)
        await planes[index]?.accept(plan)
        await planes[1 - index]?.untilCompleted(plan, 90)
      }
      expect(await versions()).toEqual(found)
    }
    expect(await stopAsking()).toEqual([])
    expect(await sealed()).toBe(before.sealed)
    const marks = before.servers.map(({ pid }) => pid)
    expect((await anchorProcesses(fixture.home)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(marks))
    for (const plan of plans) {
      await expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)
    }
    await expect(fixture.startControlPlane({ MASTER_KEY: v1 })).rejects.toThrow('MASTER_KEY lacks v2')
    await Promise.all(planes.map(plane => plane.stop()))
  })
})

/** Resolves to what was answered but 200. */
function askAllTheTime(homeDomain: string) {
  const others: number[] = []
  let asking = true
  const asked = (async () => {
    for (; asking; await sleep(50)) {
      const status = await discovery(homeDomain)
      if (status !== 200) others.push(status)
    }
  })()
  return async () => {
    asking = false
    await asked
    return others
  }
}

function discovery(host: string): Promise<number> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const target = { hostname, port, path: '/.well-known/stellar.toml', headers: { host } }
    const asked = request(target, response => resolve(response.resume().statusCode ?? 0))
    asked.on('error', () => resolve(0)).end()
  })
}
