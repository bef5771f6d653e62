import { freePort } from '@windlass/testing/free-ports.ts'
import Docker from 'dockerode'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Runtime, ServerRole, ServerSpec } from '../runtime.ts'
import { containerName } from './container.ts'
import { createDocker, type DockerOptions } from './docker.ts'
import { connectEngine } from './engine.ts'

const ADDRESS = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
const IMAGE = 'node:24-bookworm-slim'
const NETWORK = `windlass-test-${process.pid}`

// Reports its environment; /fetch?url sends a request from the container, /end exits.
const PROGRAM = `
const { readdirSync, readFileSync, writeFileSync } = require('node:fs')
const attempt = act => { try { return act() ?? 'done' } catch (error) { return error.code } }
console.log('up')
console.error('at ' + process.env.PORT)
require('node:http').createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://here')
  if (pathname === '/end') process.exit(3)
  if (pathname === '/fetch') return response.end(await fetch(searchParams.get('url')).then(r => r.text(), String))
  if (pathname === '/health') return response.end('well')
  response.end(JSON.stringify({
    env: process.env,
    uid: process.getuid(),
    secret: attempt(() => readFileSync(process.env.SIGNING_KEY_FILE, 'utf8')),
    overwriteSecret: attempt(() => writeFileSync(process.env.SIGNING_KEY_FILE, 'x')),
    writeRoot: attempt(() => writeFileSync('/usr/x', 'x')),
    writeTmp: attempt(() => writeFileSync('/tmp/x', 'x')),
    writeStatements: attempt(() => writeFileSync('/run/windlass/statements/mumbai/x', 'x')),
    seesStatements: attempt(() => readdirSync('/run/windlass/statements')),
    status: readFileSync('/proc/self/status', 'utf8'),
  }))
}).listen(process.env.PORT, process.env.BIND_HOST)
`

const missing = await whatIsMissing()
if (missing) console.warn(`SKIPPED: the tests of anchors' servers in containers, because ${missing}`)

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

const soon = { timeout: 60_000 }
let home: string
let runtime: Runtime
let spec: ServerSpec
let engine: Docker

describe.runIf(missing === null)('servers as containers', () => {
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'windlass-containers-'))
    await Promise.all(['config', 'secrets'].map(name => mkdir(join(home, name))))
    await writeFile(join(home, 'config/server.cjs'), PROGRAM, { mode: 0o600 })
    await writeFile(join(home, 'secrets/signing_key'), 'S-OF-THE-ANCHOR', { mode: 0o600 })
    runtime = dockerWith({})
    spec = {
      anchorId: `test${randomBytes(8).toString('hex')}`,
      role: 'sep',
      folder: home,
      port: await freePort(),
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
    await rm(home, { recursive: true, force: true })
  })
  beforeAll(async () => {
    engine = connectEngine(ADDRESS)
    await engine.createNetwork({ Name: NETWORK })
  })
  afterAll(async () => {
    await engine.getNetwork(NETWORK).remove()
  })

  it('are created once, however many control planes start them at once', async () => {
    const others = [runtime, dockerWith({}), dockerWith({})]
    const states = await Promise.all(others.map(each => each.start(spec)))
    expect(new Set(states.map(state => state.startedAt)).size).toBe(1)
    const made = await engine.listContainers({
      all: true,
      filters: { label: [`windlass.anchor=${spec.anchorId}`, 'windlass.server=sep'] },
    })
    expect(made.map(({ Names }) => Names)).toEqual([[`/${containerName(spec.anchorId, 'sep')}`]])
  })

  it('are adopted by a restarted control plane', async () => {
    const { startedAt } = await runtime.start(spec)
    expect(await dockerWith({}).start(spec)).toMatchObject({ startedAt, running: true })
    expect(await dockerWith({}).inspect(spec.anchorId, 'sep')).toMatchObject({
      startedAt,
      running: true,
      port: spec.port,
      version: '1',
    })
  })

  it('read their settings and their secret in a file, and can change nothing', async () => {
    process.env.OUR_SECRET = 'never'
    await runtime.start(spec)
    const seen = await look('/')
    expect(seen).toMatchObject({
      secret: 'S-OF-THE-ANCHOR',
      overwriteSecret: 'EROFS',
      writeRoot: 'EROFS',
      writeTmp: 'done',
      env: { COLOUR: 'blue', PORT: String(spec.port), SIGNING_KEY_FILE: '/run/windlass/secrets/signing_key' },
    })
    expect(seen.uid).not.toBe(0)
    expect(seen.env).not.toHaveProperty('OUR_SECRET')
    expect(seen.env).not.toHaveProperty('RAIL_CREDENTIALS_FILE')
    expect(JSON.stringify(seen.env)).not.toContain('S-OF-THE-ANCHOR')
    expect(seen.status).toMatch(/^CapEff:\t0+$/m)
    expect(seen.status).toMatch(/^CapBnd:\t0+$/m)
    expect(seen.status).toMatch(/^NoNewPrivs:\t1$/m)
  })

  it('read and write in a folder of the machine that is theirs, and see none beside it', async () => {
    const folder = join(home, 'statements')
    const source = join(folder, 'mumbai')
    await Promise.all([source, join(folder, 'delhi')].map(each => mkdir(each, { recursive: true })))
    if (process.getuid?.() === 0) await chown(source, 1000, 1000)
    await runtime.start({ ...spec, folders: [{ source, at: '/run/windlass/statements/mumbai' }] })
    expect(await look('/')).toMatchObject({ writeStatements: 'done', seesStatements: ['mumbai'] })
    expect(await readFile(join(source, 'x'), 'utf8')).toBe('x')
  })

  it('are limited in memory and processes, and restarted by the engine', async () => {
    await runtime.start(spec)
    const { HostConfig, Config, NetworkSettings } = await container('sep').inspect()
    expect(Object.keys(NetworkSettings.Networks)).toEqual([NETWORK])
    expect(HostConfig).toMatchObject({
      Memory: (64 + 192) * 2 ** 20,
      PidsLimit: 128,
      ReadonlyRootfs: true,
      RestartPolicy: { Name: 'unless-stopped' },
    })
    expect(Config.Healthcheck?.Test?.[0]).toBe('CMD')
    await look('/')
    const before = (await runtime.inspect(spec.anchorId, 'sep'))?.startedAt
    await fetch(`${runtime.address(spec)}/end`).catch(() => undefined)
    await expect.poll(async () => (await runtime.inspect(spec.anchorId, 'sep'))?.startedAt).not.toBe(before)
    expect(await look('/')).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
  })

  it('get a missing network, and a single one when two are created at once', async () => {
    const name = `${NETWORK}-others`
    const elsewhere = dockerWith({ network: name })
    await elsewhere.start(spec)
    await engine.createNetwork({ Name: name, CheckDuplicate: false })
    const business: ServerSpec = { ...spec, role: 'business', port: await freePort() }
    await elsewhere.start(business)
    const [first, second] = await Promise.all([container('sep').inspect(), container('business').inspect()])
    const idOf = (info: Docker.ContainerInspectInfo) => info.NetworkSettings.Networks[name]?.NetworkID
    expect(idOf(second)).toBe(idOf(first))
    await Promise.all([spec, business].map(({ anchorId, role }) => elsewhere.stop(anchorId, role)))
    await engine.getNetwork(name).remove()
  })

  it('reach each other by name over the network', async () => {
    const business: ServerSpec = { ...spec, role: 'business', port: await freePort() }
    await Promise.all([runtime.start(spec), runtime.start(business)])
    const byName = dockerWith({ publish: false }).address(business)
    expect(byName).toBe(`http://windlass-${spec.anchorId}-business:${business.port}`)
    await expect.poll(() => answer(`/fetch?url=${encodeURIComponent(`${byName}/health`)}`)).toBe('well')
  })

  it('are restarted after a kill with the current content of their files', async () => {
    await runtime.start(spec)
    await look('/')
    const { Id } = await container('sep').inspect()
    await container('sep').kill()
    await expect
      .poll(() => runtime.inspect(spec.anchorId, 'sep'))
      .toMatchObject({ running: false, ended: { exitCode: 137 } })
    await rm(join(home, 'secrets/signing_key'))
    await writeFile(join(home, 'secrets/signing_key'), 'S-ANOTHER', { mode: 0o600 })
    expect(await runtime.start(spec)).toMatchObject({ running: true })
    expect(await look('/')).toMatchObject({ secret: 'S-ANOTHER' })
    expect((await container('sep').inspect()).Id).toBe(Id)
  })

  it('are recreated when their definition changed and they do not run', async () => {
    await runtime.start(spec)
    await container('sep').kill()
    await runtime.start({ ...spec, version: '2', env: { COLOUR: 'red' } })
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: true, version: '2' })
    expect(await look('/')).toMatchObject({ env: { COLOUR: 'red' } })
  })

  it('run beside the pair they replace, from their own image', async () => {
    await runtime.start(spec)
    const image = { image: IMAGE, program: '/run/windlass/config/server.cjs' }
    const next: ServerSpec = { ...spec, slot: 'b', port: await freePort(), version: '2', from: image }
    expect(await runtime.canRun('sep', image)).toBe(true)
    expect(await runtime.canRun('sep', { image: 'windlass-no-such-image:2' })).toBe(false)
    await runtime.start(next)
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: true, version: '1' })
    expect(await runtime.inspect(spec.anchorId, 'sep', 'b')).toMatchObject({ running: true, version: '2' })
    await expect
      .poll(
        () =>
          fetch(runtime.address(next)).then(
            ({ status }) => status,
            () => 0,
          ),
        soon,
      )
      .toBe(200)
    expect(await runtime.log(spec.anchorId, 'sep', 10, 'b')).toContain('up')
    await runtime.stop(spec.anchorId, 'sep', 'b')
    expect(await runtime.inspect(spec.anchorId, 'sep', 'b')).toBeNull()
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: true })
  })

  it('are reported at once when they die, whatever process started them; foreign containers are not', async () => {
    const ended: string[] = []
    const watching = dockerWith({}).watch(anchorId => ended.push(anchorId))
    await runtime.start(spec)
    await look('/')
    await container('sep').kill()
    await expect.poll(() => ended, soon).toContain(spec.anchorId)
    watching.stop()
    expect(new Set(ended)).toEqual(new Set([spec.anchorId]))
  })

  it('are started when a control plane died between creating and starting them', async () => {
    await runtime.start(spec)
    const { Image, HostConfig, Config } = await container('sep').inspect()
    await runtime.stop(spec.anchorId, 'sep')
    const name = containerName(spec.anchorId, 'sep')
    await engine.createContainer({ name, ...Config, Image, HostConfig })
    expect(await runtime.inspect(spec.anchorId, 'sep')).toMatchObject({ running: false })
    expect(await runtime.start(spec)).toMatchObject({ running: true })
    expect(await look('/')).toMatchObject({ secret: 'S-OF-THE-ANCHOR' })
  })

  it('are stopped and removed, and stopping again does nothing', async () => {
    await runtime.start(spec)
    await runtime.stop(spec.anchorId, 'sep')
    await runtime.stop(spec.anchorId, 'sep')
    expect(await runtime.inspect(spec.anchorId, 'sep')).toBeNull()
    expect(await runtime.log(spec.anchorId, 'sep', 5)).toEqual([])
  })

  it('return the last lines of both output streams', async () => {
    await runtime.start(spec)
    await look('/')
    expect((await runtime.log(spec.anchorId, 'sep', 10)).toSorted()).toEqual([`at ${spec.port}`, 'up'])
    expect(await runtime.log(spec.anchorId, 'sep', 1)).toHaveLength(1)
  })

  it('never replace or remove a foreign container', async () => {
    const name = containerName(spec.anchorId, 'sep')
    const stranger = await engine.createContainer({ name, Image: IMAGE, Cmd: ['node', '--version'] })
    await expect(runtime.start(spec)).rejects.toMatchObject({ code: 'server-not-started' })
    await expect(runtime.stop(spec.anchorId, 'sep')).rejects.toMatchObject({ code: 'server-not-started' })
    expect((await stranger.inspect()).Name).toBe(`/${name}`)
    await stranger.remove({ force: true })
  })

  it('fail with a code when the image is missing', async () => {
    const nowhere = { image: 'windlass-no-such-image:1' }
    const without = dockerWith({ images: { sep: nowhere, business: nowhere } })
    await expect(without.start(spec)).rejects.toMatchObject({ code: 'server-image-missing' })
  })

  it('fail with a code when a published port is in use, and leave nothing behind', async () => {
    const other = createServer().listen(spec.port, '127.0.0.1')
    await expect.poll(() => other.listening).toBe(true)
    expect(await runtime.isPortFree(spec.port)).toBe(false)
    await expect(runtime.start(spec)).rejects.toMatchObject({ code: 'port-taken' })
    expect(await runtime.inspect(spec.anchorId, 'sep')).toBeNull()
    await new Promise(resolve => other.close(resolve))
  })

  it('fail with a code when the container exited, with its exit code', async () => {
    await writeFile(join(home, 'config/server.cjs'), 'process.exit(78)')
    await runtime.start(spec)
    await expect
      .poll(() => runtime.inspect(spec.anchorId, 'sep'), { timeout: 60_000, interval: 20 })
      .toMatchObject({ running: false, ended: { exitCode: 78, outOfMemory: false } })
  })

  it('know what their image held, also once its tag leads to another one', async () => {
    const tag = { repo: NETWORK, tag: 'same' }
    const name = `${tag.repo}:${tag.tag}`
    const image = { image: name, program: '/run/windlass/config/server.cjs' }
    const tagged = dockerWith({ images: { sep: image, business: image } })
    await engine.getImage(IMAGE).tag(tag)
    const { imageId } = await tagged.start(spec)
    expect(imageId).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await tagged.imageId('sep')).toBe(imageId)
    // As if it were built again.
    await container('sep').commit(tag)
    const rebuilt = await tagged.imageId('sep')
    expect(rebuilt).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(rebuilt).not.toBe(imageId)
    expect(await tagged.inspect(spec.anchorId, 'sep')).toMatchObject({ imageId, running: true })
    expect(await tagged.canRun('sep', { image: imageId ?? '' })).toBe(true)
    await engine.getImage(name).remove()
    expect(await tagged.imageId('sep')).toBeNull()
  })

  it('read an anchor’s files from a volume by the engine’s path', async () => {
    await engine.createVolume({ Name: NETWORK })
    const { Mountpoint } = await engine.getVolume(NETWORK).inspect()
    // The mount path differs from the engine's, as in a container.
    const within = dockerWith({ volume: { name: NETWORK, mountedAt: dirname(home) } })
    const place = join(Mountpoint, basename(home))
    await cp(home, place, { recursive: true })
    await within.start(spec)
    const { Mounts } = await container('sep').inspect()
    expect(Mounts.filter(({ Type }) => Type === 'bind').map(({ Source }) => Source)).toContain(
      join(place, 'secrets/signing_key'),
    )
    await within.stop(spec.anchorId, 'sep')
    await engine.getVolume(NETWORK).remove()
  })

  it('are not started from a folder outside the volume', async () => {
    await engine.createVolume({ Name: NETWORK })
    const within = dockerWith({ volume: { name: NETWORK, mountedAt: '/somewhere/else' } })
    await expect(within.start(spec)).rejects.toMatchObject({ code: 'server-not-started' })
    await engine.getVolume(NETWORK).remove()
  })
})

describe('an unreachable container engine', () => {
  it('has its own error code', async () => {
    const nowhere = createDocker({
      ...optionsWith({}),
      engine: `unix://${join(tmpdir(), 'windlass-no-engine.sock')}`,
    })
    await expect(nowhere.inspect('abc', 'sep')).rejects.toMatchObject({ code: 'engine-unreachable' })
    await expect(nowhere.stop('abc', 'sep')).rejects.toMatchObject({ code: 'engine-unreachable' })
  })

  it('is refused when its address is invalid', () => {
    expect(() => createDocker({ ...optionsWith({}), engine: 'ssh://somewhere' })).toThrow('unix:// or tcp://')
  })
})

function optionsWith(others: Partial<DockerOptions>): DockerOptions {
  const image = { image: IMAGE, program: '/run/windlass/config/server.cjs' }
  return {
    engine: ADDRESS,
    network: NETWORK,
    images: { sep: image, business: image },
    memory: 64,
    publish: true,
    ...others,
  }
}

function dockerWith(others: Partial<DockerOptions>): Runtime {
  return createDocker(optionsWith(others))
}

const container = (role: ServerRole) => engine.getContainer(containerName(spec.anchorId, role))

interface Seen {
  env: Record<string, string>
  uid: number
  status: string
}

async function look(path: string): Promise<Seen> {
  return JSON.parse(await untilAnswered(path)) as Seen
}

async function untilAnswered(path: string): Promise<string> {
  await expect.poll(() => answer(path)).not.toBeNull()
  return (await answer(path)) ?? ''
}

const answer = (path: string) =>
  fetch(`${runtime.address(spec)}${path}`).then(
    response => response.text(),
    () => null,
  )
