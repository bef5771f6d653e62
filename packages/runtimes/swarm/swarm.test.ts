import type Docker from 'dockerode'
import { startCluster } from '@windlass/testing/cluster.ts'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectEngine } from '../docker/engine.ts'
import type { Runtime, ServerRole, ServerSpec } from '../runtime.ts'
import { networkName, serviceName } from './service.ts'
import { createSwarm, type SwarmOptions } from './swarm.ts'
import { startDyingManager } from './testing/dying-manager.ts'
import { PROBE, PROBE_PORT, PROGRAM } from './testing/programs.ts'

const run = promisify(execFile)
/** What a server says of itself. */
interface Seen {
  env?: Record<string, string>
}
const NETWORK = 'platform-net'
/** What takes too long for every run, such as the death of nodes: `npm run test:cluster` has it. */
const itAtLength = it.runIf(process.env.MODE === 'cluster')
const cluster = await startCluster()
if (typeof cluster === 'string')
  console.warn(`SKIPPED: the tests of anchors' servers in a cluster, because ${cluster}`)

describe.skipIf(typeof cluster === 'string')('servers in a cluster', () => {
  if (typeof cluster === 'string') return
  const soon = { timeout: 60_000, interval: 200 }
  const engine = connectEngine(cluster.engine(1))
  let home: string
  let runtime: Runtime
  let spec: ServerSpec

  const optionsWith = (others: Partial<SwarmOptions> = {}): SwarmOptions => {
    const image = {
      image: cluster.image('node:24-bookworm-slim'),
      program: '/run/windlass/config/server.cjs',
    }
    const images = { sep: image, business: image }
    return { engine: cluster.engine(1), network: NETWORK, images, memory: 64, placement: [], ...others }
  }
  const writeProgram = (text: string) => writeFile(join(home, 'config/server.cjs'), text, { mode: 0o600 })
  /** What the server answers the platform, asked on one of the nodes. */
  const ask = async (of: ServerSpec, path = '/', node = 1): Promise<string | null> => {
    const url = `http://${cluster.host(node)}:${PROBE_PORT}/?url=${encodeURIComponent(runtime.address(of) + path)}`
    const response = await fetch(url).catch(() => null)
    const text = await response?.text()
    return response?.ok ? (text ?? null) : null
  }
  const look = async (of = spec, node = 1) => {
    await expect.poll(() => ask(of, '/', node), soon).not.toBeNull()
    return JSON.parse((await ask(of, '/', node)) ?? '') as Record<string, unknown>
  }
  const service = (role: ServerRole = 'sep') =>
    engine.getService(serviceName(spec.anchorId, role)).inspect() as Promise<Docker.Service>
  const label = () => ({ label: [`windlass.anchor=${spec.anchorId}`] })
  const filters = () => JSON.stringify(label())
  const listKept = async () => {
    const secrets = await engine.listSecrets({ filters: filters() })
    const configs = await engine.listConfigs({ filters: filters() })
    const networks = await engine.listNetworks({ filters: label() })
    const services = await engine.listServices({ filters: label() })
    return [secrets.length, configs.length, networks.length, services.length]
  }
  const tasks = async (desired: string) =>
    (await engine.listTasks({
      filters: JSON.stringify({ service: [serviceName(spec.anchorId, 'sep')], 'desired-state': [desired] }),
    })) as { NodeID: string; Status: { State: string } }[]
  const countContainers = async () => {
    const lists = [1, 2, 3].map(node =>
      connectEngine(cluster.engine(node)).listContainers({ filters: label() }),
    )
    return (await Promise.all(lists)).flat().length
  }
  const docker = (...args: string[]) =>
    run('docker', args, { env: { ...process.env, DOCKER_HOST: cluster.engine(1) } })
  const secretName = async () => (await engine.listSecrets({ filters: filters() }))[0]?.Spec?.Name ?? ''
  const countReady = () =>
    engine.listNodes().then(
      nodes => nodes.filter(({ Status }) => Status?.State === 'ready').length,
      () => 0,
    )
  const nodeNumber = async () => {
    const nodeId = (await tasks('running'))[0]?.NodeID ?? ''
    const { Description } = (await engine.getNode(nodeId).inspect()) as { Description: { Hostname: string } }
    return Number(Description.Hostname.replace('node-', ''))
  }

  beforeAll(async () => {
    const ContainerSpec = {
      Image: cluster.image('node:24-bookworm-slim'),
      Command: ['node', '-e', PROBE],
      Init: true,
    }
    await engine.createNetwork({ Name: NETWORK, Driver: 'overlay', Attachable: true }).catch(() => null)
    await engine.createService({
      Name: 'probe',
      TaskTemplate: { ContainerSpec, Networks: [{ Target: NETWORK }] },
      Mode: { Global: {} },
      EndpointSpec: {
        Mode: 'dnsrr',
        Ports: [{ Protocol: 'tcp', TargetPort: PROBE_PORT, PublishedPort: PROBE_PORT, PublishMode: 'host' }],
      },
    })
  })
  afterAll(async () => {
    await engine.getService('probe').remove()
    await cluster.stop()
  })
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'windlass-cluster-'))
    await Promise.all(['config', 'secrets'].map(name => mkdir(join(home, name))))
    await writeProgram(PROGRAM)
    await writeFile(join(home, 'secrets/signing_key'), 'S-OF-THE-ANCHOR', { mode: 0o600 })
    runtime = createSwarm(optionsWith())
    spec = {
      anchorId: `test${randomBytes(8).toString('hex')}`,
      role: 'sep',
      folder: home,
      port: 4101,
      env: { COLOUR: 'blue' },
      files: {
        PROGRAM: 'config/server.cjs',
        SIGNING_KEY_FILE: 'secrets/signing_key',
        RAIL_CREDENTIALS_FILE: 'secrets/rail_credentials.json',
      },
      version: '1',
    }
  })
  afterEach(async () => {
    await Promise.all((['sep', 'business'] as const).map(role => runtime.stop(spec.anchorId, role)))
    await runtime.remove?.(spec.anchorId)
    await rm(home, { recursive: true, force: true })
  })

  it('are created once, however many control planes start them at once, whichever manager they ask', async () => {
    const planes = [1, 2, 3].map(node => createSwarm(optionsWith({ engine: cluster.engine(node) })))
    const states = await Promise.all(planes.map(each => each.start(spec)))
    expect(states).toMatchObject([{ running: true }, { running: true }, { running: true }])
    expect(await listKept()).toEqual([1, 1, 1, 1])
    await look()
    expect(await tasks('running')).toHaveLength(1)
  })

  it('are adopted by a restarted control plane', async () => {
    const { startedAt } = await runtime.start(spec)
    const { Version } = await service()
    expect(await createSwarm(optionsWith()).start(spec)).toMatchObject({ startedAt, running: true })
    expect((await service()).Version).toEqual(Version)
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ port: 4101, version: '1', startedAt })
  })

  it('read their settings and their secret in a file, and can change nothing', async () => {
    await runtime.start(spec)
    const seen = await look()
    expect(seen).toMatchObject({
      secret: 'S-OF-THE-ANCHOR',
      overwriteSecret: 'EROFS',
      writeRoot: 'EROFS',
      writeTmp: 'done',
      uid: 1000,
      env: { COLOUR: 'blue', PORT: '4101', SIGNING_KEY_FILE: '/run/windlass/secrets/signing_key' },
    })
    expect(seen.env).not.toHaveProperty('RAIL_CREDENTIALS_FILE')
    expect(seen.status).toMatch(/^CapEff:\t0+$/m)
    expect(seen.status).toMatch(/^CapBnd:\t0+$/m)
    expect(seen.status).toMatch(/^NoNewPrivs:\t1$/m)
  })

  it('show their secret to nobody who asks the cluster or an engine', async () => {
    await runtime.start(spec)
    await look()
    const shown: unknown[] = [
      await service(),
      await engine.listSecrets({ filters: filters() }),
      await tasks('running'),
    ]
    for (const node of [1, 2, 3]) {
      const there = connectEngine(cluster.engine(node))
      const found = await there.listContainers({ filters: label() })
      shown.push(...(await Promise.all(found.map(({ Id }) => there.getContainer(Id).inspect()))))
    }
    expect(shown).toHaveLength(4)
    const secret = 'S-OF-THE-ANCHOR'
    for (const each of [secret, Buffer.from(secret).toString('base64')])
      expect(JSON.stringify(shown)).not.toContain(each)
  })

  itAtLength('are limited in memory and processes, and reached by name from every node', async () => {
    const business: ServerSpec = { ...spec, role: 'business', port: 4102 }
    await Promise.all([runtime.start(spec), runtime.start(business)])
    const { Spec } = await service()
    const memory = (64 + 192) * 2 ** 20
    expect(Spec?.TaskTemplate?.Resources?.Limits).toEqual({ MemoryBytes: memory, Pids: 128 })
    expect(Spec?.TaskTemplate?.Resources?.Reservations).toEqual({ MemoryBytes: Math.round(memory / 3) })
    for (const node of [1, 2, 3]) for (const each of [spec, business]) await look(each, node)
    const { Networks } = Spec?.TaskTemplate ?? {}
    const own = await engine.listNetworks({ filters: { name: [networkName(spec.anchorId)] } })
    expect(Networks?.map(({ Target }) => Target)).toContain(own[0]?.Id)
  })

  itAtLength('are restarted by the cluster when they end, and reported', async () => {
    const changed: string[] = []
    const watching = [1, 2, 3].map(node =>
      createSwarm(optionsWith({ engine: cluster.engine(node) })).watch(anchorId => changed.push(anchorId)),
    )
    const { startedAt } = await runtime.start(spec)
    await look()
    await ask(spec, '/end')
    await expect.poll(() => changed, soon).toContain(spec.anchorId)
    await expect
      .poll(() => runtime.inspect(spec.anchorId, 'sep'), { timeout: 60_000, interval: 20 })
      .toMatchObject({ running: false, ended: { exitCode: 3 } })
    await look()
    expect((await runtime.inspect(spec.anchorId, 'sep'))?.startedAt).not.toBe(startedAt)
    for (const each of watching) each.stop()
  })

  it('keep their definition while they sleep, and wake to the same', async () => {
    await runtime.start(spec)
    await look()
    await runtime.stop(spec.anchorId, 'sep')
    expect(await tasks('running')).toEqual([])
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: false })
    expect((await service()).Spec?.Mode).toEqual({ Replicated: { Replicas: 0 } })
    await runtime.stop(spec.anchorId, 'sep')
    expect(await runtime.start(spec)).toMatchObject({ running: true })
    expect(await look()).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
    expect(await listKept()).toEqual([1, 1, 1, 1])
  })

  it('are never written again where nobody changes them', async () => {
    const elsewhere = createSwarm(optionsWith({ engine: cluster.engine(2) }))
    await runtime.start(spec)
    await look()
    const { Version } = await service()
    for (const each of [runtime, elsewhere]) {
      await each.tidy()
      await each.start(spec)
    }
    expect((await service()).Version).toEqual(Version)
    await docker('service', 'update', '--detach', '--force', serviceName(spec.anchorId, 'sep'))
    await runtime.tidy()
    await runtime.start(spec)
    expect((await service()).Spec?.TaskTemplate?.ForceUpdate).toBe(1)
  })

  it('are as they were made again where someone edited them, awake or asleep', async () => {
    await runtime.start(spec)
    expect(await look()).toMatchObject({ env: { COLOUR: 'blue' } })
    const made = (await service()).Spec
    const edit = (...flags: string[]) =>
      docker('service', 'update', '--detach', ...flags, serviceName(spec.anchorId, 'sep'))
    const colour = () => ask(spec).then(text => (JSON.parse(text ?? '{}') as Seen).env?.COLOUR)
    await edit('--limit-memory', '0', '--env-add', 'COLOUR=red', '--update-failure-action', 'continue')
    await expect.poll(colour, soon).toBe('red')
    await runtime.tidy()
    expect((await service()).Spec).toEqual(made)
    await expect.poll(colour, soon).toBe('blue')
    await runtime.stop(spec.anchorId, 'sep')
    const image = cluster.image('node:24-bookworm-slim')
    await edit('--network-rm', NETWORK, '--secret-rm', await secretName(), '--image', image)
    await edit('--constraint-add', 'node.role==worker', '--publish-add', 'mode=host,published=98,target=4101')
    await runtime.start(spec)
    expect((await service()).Spec).toEqual(made)
    expect(await look()).toMatchObject({ secret: 'S-OF-THE-ANCHOR', env: { COLOUR: 'blue' } })
    await edit('--env-add', 'COLOUR=red')
    await runtime.start(spec)
    expect((await service()).Spec).toEqual(made)
  })

  it('go where their anchor is removed, as after a restored cluster has them again', async () => {
    const listed: string[] = []
    const areRemoved = async (ids: readonly string[]) => {
      listed.push(...ids)
      return new Map(ids.map(id => [id, id === spec.anchorId]))
    }
    await Promise.all([runtime.start(spec), runtime.start({ ...spec, role: 'business', port: 4102 })])
    await runtime.tidy(async ids => new Map(ids.map(id => [id, false])))
    await runtime.tidy(async () => new Map())
    expect(await tasks('running')).toHaveLength(1)
    await expect
      .poll(async () => {
        await runtime.tidy(areRemoved)
        return listKept()
      }, soon)
      .toEqual([0, 0, 0, 0])
    expect(listed.filter(id => id === spec.anchorId).length).toBeGreaterThan(0)
  })

  itAtLength(
    'start with the current content of their files, and the cluster forgets the former',
    async () => {
      await runtime.start(spec)
      for (const secret of ['S-SECOND', 'S-THIRD']) {
        await runtime.stop(spec.anchorId, 'sep')
        await writeFile(join(home, 'secrets/signing_key'), secret)
        await runtime.start({ ...spec, version: secret })
        expect(await look()).toMatchObject({ secret })
      }
      await runtime.tidy()
      await runtime.tidy()
      // Those of the state before, to which the cluster would go back, stay.
      expect(await listKept()).toEqual([2, 2, 1, 1])
      expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ version: 'S-THIRD' })
    },
  )

  it('know whether they were given the files of a folder, whichever control plane’s it is', async () => {
    await runtime.start(spec)
    const other = createSwarm(optionsWith({ engine: cluster.engine(2), memory: 96 }))
    expect(await other.hasFiles?.(spec)).toBe(true)
    await writeFile(join(home, 'secrets/signing_key'), 'S-OTHER')
    expect(await other.hasFiles?.(spec)).toBe(false)
    expect(await other.hasFiles?.({ ...spec, role: 'business' })).toBe(false)
  })

  itAtLength('go back to what they were when a new definition does not start', async () => {
    await runtime.start(spec)
    await look()
    await writeProgram('process.exit(78)')
    await ask(spec, '/end')
    await expect
      .poll(() => runtime.inspect(spec.anchorId, 'sep'), { timeout: 60_000, interval: 20 })
      .toMatchObject({ running: false })
    await runtime.start({ ...spec, version: '2' })
    await expect.poll(async () => (await service()).UpdateStatus?.State, soon).toBe('rollback_completed')
    expect(await look()).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: true, version: '1' })
  })

  itAtLength('run their migrations once as a job, whatever an earlier try left', async () => {
    await runtime.migrate(spec, 60)
    await runtime.migrate(spec, 60)
    await expect(runtime.migrate({ ...spec, env: { MIGRATION_EXITS: '4' } }, 60)).rejects.toMatchObject({
      code: 'server-exited',
    })
    await writeProgram('setInterval(() => {}, 1000)')
    await expect(runtime.migrate(spec, 2)).rejects.toMatchObject({ code: 'server-not-healthy' })
    expect(await engine.listServices({ filters: label() })).toEqual([])
    await runtime.tidy()
    await runtime.tidy()
    expect((await listKept()).slice(0, 2)).toEqual([0, 0])
  })

  itAtLength('return the last lines of both output streams, wherever they run', async () => {
    await runtime.start(spec)
    await look()
    expect((await runtime.log(spec.anchorId, 'sep', 10)).toSorted()).toEqual(['at 4101', 'up'])
    expect(await runtime.log(spec.anchorId, 'sep', 1)).toHaveLength(1)
  })

  it('say in their log why no node accepts them', async () => {
    const nowhere = createSwarm(optionsWith({ placement: ['node.labels.nowhere==true'] }))
    await nowhere.start(spec)
    await expect
      .poll(() => nowhere.log(spec.anchorId, 'sep', 5), soon)
      .toEqual([expect.stringContaining('no suitable node')])
  })

  itAtLength('are repaired when someone scales or removes what they need', async () => {
    await runtime.start(spec)
    await look()
    const scale = async (Replicas: number) => {
      const { Spec, Version, ID } = await service()
      const body = { ...Spec, Mode: { Replicated: { Replicas } } }
      await engine.getService(ID).update({ _query: { version: Version?.Index }, _body: body })
    }
    await scale(3)
    await runtime.tidy()
    await expect.poll(() => tasks('running'), soon).toHaveLength(1)
    await scale(0)
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: false })
    await runtime.start(spec)
    await look()
    const [secret] = await engine.listSecrets({ filters: filters() })
    await expect(engine.getSecret(secret?.ID ?? '').remove()).rejects.toThrow(/in use/)
    await engine.getService((await service()).ID).remove()
    await engine.getSecret(secret?.ID ?? '').remove()
    expect(await runtime.inspect(spec.anchorId, 'sep')).toBeNull()
    await runtime.start(spec)
    expect(await look()).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
  })

  itAtLength('are started by another control plane where one died between two of its requests', async () => {
    for (let survived = 0; ; survived += 1) {
      const dying = await startDyingManager(cluster.engine(1), survived)
      const started = await createSwarm(optionsWith({ engine: dying.address }))
        .start(spec)
        .then(
          () => true,
          () => false,
        )
      await dying.stop()
      expect(await runtime.start(spec)).toMatchObject({ running: true })
      expect(await listKept()).toEqual([1, 1, 1, 1])
      if (started) break
      await runtime.stop(spec.anchorId, 'sep')
      await runtime.remove?.(spec.anchorId)
      expect(survived).toBeLessThan(12)
    }
    await look()
  })

  it('leave nothing behind when they are removed', async () => {
    await Promise.all([runtime.start(spec), runtime.start({ ...spec, role: 'business', port: 4102 })])
    await Promise.all((['sep', 'business'] as const).map(role => runtime.stop(spec.anchorId, role)))
    await runtime.remove?.(spec.anchorId)
    await runtime.tidy()
    await expect
      .poll(async () => {
        await runtime.tidy()
        return listKept()
      }, soon)
      .toEqual([0, 0, 0, 0])
    expect(await runtime.inspect(spec.anchorId, 'sep')).toBeNull()
    expect(await runtime.log(spec.anchorId, 'sep', 5)).toEqual([])
  })

  it('never replace or remove a foreign service', async () => {
    const Name = serviceName(spec.anchorId, 'sep')
    const ContainerSpec = { Image: cluster.image('node:24-bookworm-slim'), Command: ['sleep', '100'] }
    await engine.createService({ Name, TaskTemplate: { ContainerSpec }, EndpointSpec: { Mode: 'dnsrr' } })
    await expect(runtime.start(spec)).rejects.toMatchObject({ code: 'server-not-started' })
    await expect(runtime.stop(spec.anchorId, 'sep')).rejects.toMatchObject({ code: 'server-not-started' })
    await engine.getService(Name).remove()
  })

  it('know what their image holds, and fail with a code when it is missing', async () => {
    const { imageId } = await runtime.start(spec)
    expect(imageId).toMatch(/^10\.77\.0\.254:5000\/node@sha256:[0-9a-f]{64}$/)
    expect(await runtime.imageId('sep')).toBe(imageId)
    expect(await runtime.canRun('sep', { image: imageId })).toBe(true)
    const nowhere = { image: cluster.image('windlass-no-such-image:1') }
    expect(await runtime.canRun('sep', nowhere)).toBe(false)
    const without = createSwarm(optionsWith({ images: { sep: nowhere, business: nowhere } }))
    await expect(without.start({ ...spec, role: 'business' })).rejects.toMatchObject({
      code: 'server-image-missing',
    })
  })

  itAtLength(
    'move to another node when theirs dies, and the cluster stays in command without one of its managers',
    async () => {
      await runtime.start(spec)
      await look()
      const node = await nodeNumber()
      const [other = 1] = [1, 2, 3].filter(each => each !== node)
      const elsewhere = createSwarm(optionsWith({ engine: cluster.engine(other) }))
      await cluster.kill(node)
      try {
        await expect.poll(() => ask(spec, '/', other), { timeout: 90_000, interval: 500 }).not.toBeNull()
        expect(await elsewhere.inspect(spec.anchorId, 'sep')).toMatchObject({ running: true })
        await elsewhere.stop(spec.anchorId, 'sep')
        await elsewhere.start(spec)
        await look(spec, other)
      } finally {
        await cluster.boot(node)
        await expect.poll(countReady, soon).toBe(3)
      }
    },
  )

  itAtLength('run once again when a node that was cut off from the others is back', async () => {
    await runtime.start(spec)
    await look()
    const node = await nodeNumber()
    const [other = 1] = [1, 2, 3].filter(each => each !== node)
    await cluster.cut(node)
    try {
      await expect.poll(() => ask(spec, '/', other), { timeout: 90_000, interval: 500 }).not.toBeNull()
    } finally {
      await cluster.mend(node)
      await expect.poll(countReady, soon).toBe(3)
    }
    await expect.poll(countContainers, soon).toBe(1)
    await look(spec, node)
  })

  itAtLength('are out of reach with a code while most managers are gone', async () => {
    await runtime.start(spec)
    await Promise.all([cluster.kill(2), cluster.kill(3)])
    try {
      await expect
        .poll(
          () => runtime.inspect(spec.anchorId, 'sep').catch((error: { code?: string }) => error.code),
          soon,
        )
        .toBe('engine-unreachable')
    } finally {
      await Promise.all([cluster.boot(2), cluster.boot(3)])
      await expect.poll(countReady, soon).toBe(3)
    }
    expect(await look()).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
  })
})
