import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { getUpgrades, requestUpgrade, setAnchorRunning } from '@windlass/contracts/internal/control-plane.ts'
import { connectEngine } from '@windlass/runtimes/docker/engine.ts'
import { containerName } from '@windlass/runtimes/docker/container.ts'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { somePlan, startFixture, type ControlPlaneProcess, type Fixture } from '../testing/fixture.ts'
import { VERSION } from '../programs.ts'

const ADDRESS = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
const IMAGE = `windlass:${VERSION}`
/** Has a Node and none of our programs. */
const BROKEN = 'node:24-bookworm-slim'
const everything = process.env.MODE === 'faults'
const missing = everything ? await whatIsMissing() : null
if (missing) console.warn(`SKIPPED: the life of anchors in containers, because ${missing}`)

async function whatIsMissing(): Promise<string | null> {
  try {
    const engine = connectEngine(ADDRESS)
    await engine.ping()
    return await engine
      .getImage(IMAGE)
      .inspect()
      .then(() => null)
      .catch(() => `the engine at ${ADDRESS} has no image ${IMAGE}`)
  } catch {
    return `no container engine answers at ${ADDRESS}`
  }
}

const engine = connectEngine(ADDRESS)
const soon = { timeout: 60_000, interval: 100 }
let fixture: Fixture
let plane: ControlPlaneProcess
let plan: AnchorPlan

describe.runIf(everything && missing === null)('an anchor in containers', () => {
  beforeAll(async () => {
    fixture = await startFixture()
    // On the machine's own network, where containers reach the fixture at the addresses it has for us.
    plane = await fixture.startControlPlane(inContainers)
    plan = somePlan(fixture)
    await plane.provision(plan, 120)
    await engine.getImage(IMAGE).tag({ repo: 'windlass', tag: 'next' })
  }, 240_000)
  afterAll(async () => {
    await plane?.stop()
    for (const { Id } of await ours()) await engine.getContainer(Id).remove({ force: true })
    await engine
      .getImage('windlass:next')
      .remove()
      .catch(() => null)
    await fixture?.stop()
  })

  const inContainers = {
    ANCHOR_RUNTIME: 'docker',
    DOCKER_HOST: ADDRESS,
    ANCHOR_NETWORK: 'host',
    ANCHOR_PUBLISH_PORTS: 'true',
    ANCHOR_IMAGE: IMAGE,
  }
  const ours = () =>
    engine.listContainers({ all: true, filters: { label: [`windlass.anchor=${plan.anchorId}`] } })
  const running = async () =>
    (await ours())
      .filter(({ State }) => State === 'running')
      .map(({ Names, Image }) => [Names[0]?.replace(`/windlass-${plan.anchorId}-`, ''), Image])
      .toSorted()
  const params = () => ({ anchorId: plan.anchorId })
  const upgradeTo = (wish: { version?: string; image?: string }) =>
    plane.client.call(requestUpgrade, { params: params(), body: { ...wish, requestedBy: 'admin:test' } })
  const settled = async (id: string) => {
    const find = async () =>
      (await plane.client.call(getUpgrades, { params: params() })).upgrades.find(each => each.id === id)
    await expect.poll(async () => (await find())?.finishedAt, { ...soon, timeout: 100_000 }).toBeTruthy()
    return find()
  }

  it('has a server that was killed started again, and one that was removed made again', async () => {
    await engine.getContainer(containerName(plan.anchorId, 'sep')).kill()
    await expect.poll(running, soon).toHaveLength(2)
    await engine.getContainer(containerName(plan.anchorId, 'business')).remove({ force: true })
    await expect.poll(running, soon).toHaveLength(2)
    await expect.poll(discovery, soon).toBe(200)
  })

  it('is brought to what its image holds when the same version is built again', async () => {
    const before = await engine.getImage(IMAGE).inspect()
    const contents = async () => [...new Set((await ours()).map(({ ImageID }) => ImageID))]
    expect(await contents()).toEqual([before.Id])
    const [repo = '', tag = ''] = IMAGE.split(':')
    try {
      await engine.getContainer(containerName(plan.anchorId, 'sep')).commit({ repo, tag })
      const { Id } = await engine.getImage(IMAGE).inspect()
      await plane.stop()
      plane = await fixture.startControlPlane(inContainers)
      await expect.poll(contents, { ...soon, timeout: 120_000 }).toEqual([Id])
      await expect.poll(discovery, soon).toBe(200)
      const { upgrades } = await plane.client.call(getUpgrades, { params: params() })
      expect(upgrades[0]).toMatchObject({ requestedBy: 'control-plane' })
      expect(await settled(upgrades[0]?.id ?? '')).toMatchObject({ state: 'succeeded' })
      const { release } = await plane.client.call(getUpgrades, { params: params() })
      expect(release?.imageIds).toEqual({ sep: Id, business: Id })
    } finally {
      await engine.getImage(before.Id).tag({ repo, tag })
    }
  })

  it('is brought to another image beside the old one, and stays where it was if that cannot live', async () => {
    const { id } = await upgradeTo({ version: 'next' })
    expect(await settled(id)).toMatchObject({ state: 'succeeded', error: null })
    // By its content: the tag may lead to another image tomorrow.
    const { Id } = await engine.getImage('windlass:next').inspect()
    expect(await running()).toEqual([
      ['business', Id],
      ['sep', Id],
    ])
    expect(await discovery()).toBe(200)
    await expect(upgradeTo({ image: 'windlass:nowhere' })).rejects.toMatchObject({
      problem: { code: 'release-not-found' },
    })
    const broken = await upgradeTo({ image: BROKEN })
    expect(await settled(broken.id)).toMatchObject({ state: 'failed' })
    expect((await running()).map(([name]) => name)).toEqual(['business', 'sep'])
    expect(await discovery()).toBe(200)
  })

  it('is down while it is suspended, and runs again afterwards', async () => {
    const setRunning = (up: boolean) =>
      plane.client.call(setAnchorRunning, { params: params(), body: { running: up } })
    await setRunning(false)
    await expect.poll(running, soon).toEqual([])
    await setRunning(true)
    await expect.poll(discovery, soon).toBe(200)
  })
})

function discovery(): Promise<number> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const target = { hostname, port, path: '/.well-known/stellar.toml', headers: { host: plan.homeDomain } }
    const asked = request(target, response => resolve(response.resume().statusCode ?? 0))
    asked.on('error', () => resolve(0)).end()
  })
}
