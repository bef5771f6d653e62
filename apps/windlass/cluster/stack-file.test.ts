import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { homeAt } from '../home.ts'
import { SERVICES } from '../services.ts'
import { SETTINGS } from '../settings-list.ts'
import { readCopies } from './cluster-up.ts'
import { ensureNetwork, writeStack } from './cluster.ts'

interface Part {
  image: string
  command: string[]
  secrets: string[]
  env_file: string[]
  healthcheck: { test: string[] }
  volumes?: unknown[]
  ports?: { mode: string }[]
  deploy: {
    replicas: number
    endpoint_mode: string
    update_config: Record<string, unknown>
    placement: { constraints: string[] }
    resources: { limits: { memory: string; pids: number } }
  }
}
interface Stack {
  services: Record<string, Part>
  secrets: Record<string, { name: string; file: string }>
}

describe('the stack file of a cluster', () => {
  const folders: string[] = []
  afterEach(() => folders.splice(0).forEach(folder => rmSync(folder, { recursive: true })))

  const image = 'registry.example.com/windlass:1'
  const write = (settings: Record<string, string> = {}, { tls = false, home = '' } = {}) => {
    const folder = home || mkdtempSync(join(tmpdir(), 'windlass-stack-file-'))
    if (!home) folders.push(folder)
    const environment = { WINDLASS_IMAGE: image, ...settings }
    const files = writeStack({ home: homeAt(folder), environment }, { tls, copies: () => 2 })
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Stack
    return { folder, files, stack: read(files.whole), migrations: read(files.migrations) }
  }

  it('has every part with its program, its health check and a limit', () => {
    const { services } = write().stack
    for (const { name, script, flags = [], ports, health } of SERVICES) {
      expect(services[name]?.command).toEqual(['node', ...flags, script])
      const live = health.replace(/^\/health$/, '/health/live')
      expect(services[name]?.healthcheck.test).toEqual(['CMD', 'healthy', String(ports[0]?.[1]), live])
    }
    for (const part of Object.values(services))
      expect(part.deploy.resources.limits).toEqual({
        memory: expect.stringMatching(/^\dG$/),
        pids: expect.any(Number),
      })
  })

  it('runs copies of each part that can be replaced, a new one before an old one ends where it publishes no port', () => {
    const { services } = write().stack
    for (const { name, handsOver } of SERVICES) {
      const { deploy } = services[name] as Part
      expect([name, deploy.replicas]).toEqual([name, handsOver ? 2 : 1])
      expect(deploy.endpoint_mode).toBe('dnsrr')
      if (!handsOver) continue
      const order = services[name]?.ports ? 'stop-first' : 'start-first'
      expect(deploy.update_config).toMatchObject({ order, failure_action: 'rollback' })
    }
    for (const { ports = [] } of Object.values(services))
      expect(ports.filter(({ mode }) => mode !== 'host')).toEqual([])
  })

  it('gives each part its own secrets alone, by files', () => {
    const { stack } = write()
    for (const { name } of SERVICES) {
      const own = SETTINGS.filter(({ secretOf }) => secretOf?.includes(name)).map(setting => setting.name)
      const { secrets = [], env_file: [envFile = ''] = [] } = stack.services[name] ?? {}
      expect(own).toEqual(expect.arrayContaining(secrets))
      for (const secret of secrets)
        expect(readFileSync(envFile, 'utf8')).toContain(`${secret}_FILE=/run/secrets/${secret}\n`)
    }
    const text = JSON.stringify(stack)
    for (const { file } of Object.values(stack.secrets)) {
      const content = readFileSync(file, 'utf8')
      expect(content).not.toBe('')
      expect(text).not.toContain(content)
    }
  })

  it('names a secret by its content, because the cluster changes none', () => {
    const { folder, stack } = write({ ADMIN_PASSWORD: 'first-password' })
    const changed = write({ ADMIN_PASSWORD: 'second-password' }, { home: folder }).stack
    expect(changed.secrets.ADMIN_PASSWORD?.name).not.toBe(stack.secrets.ADMIN_PASSWORD?.name)
    expect(changed.secrets.OTP_KEY).toEqual(stack.secrets.OTP_KEY)
  })

  it('gives the engine’s socket to the control plane only, on managers', () => {
    const { services } = write().stack
    const holders = Object.keys(services).filter(name =>
      JSON.stringify(services[name]).includes('docker.sock'),
    )
    expect(holders).toEqual(['control-plane'])
    expect(services['control-plane']?.deploy.placement.constraints).toEqual(['node.role==manager'])
  })

  it('has a Postgres on a node for data unless others are named', () => {
    expect(write().stack.services.postgres?.deploy.placement.constraints).toEqual([
      'node.labels.windlass.data==true',
    ])
    const databases = SETTINGS.filter(({ name }) => name.endsWith('_DATABASE_URL'))
    const named = Object.fromEntries(databases.map(({ name }) => [name, 'postgres://a:b@10.0.0.9/x']))
    expect(Object.keys(write(named).stack.services)).not.toContain('postgres')
  })

  it('gives its Postgres the shared memory that compose gives one', () => {
    const shared = { type: 'tmpfs', target: '/dev/shm', tmpfs: { size: 256 * 2 ** 20 } }
    expect(write().stack.services.postgres?.volumes).toContainEqual(shared)
  })

  it('migrates each database of a part apart, once and with its address alone', () => {
    const { stack, migrations } = write({ SECRETS_ENDPOINT: 'https://secrets.example.com' })
    const { command, secrets, deploy } = migrations.services.migrations as Part
    const parts = ['signer', 'platform-api', 'control-plane', 'aggregator']
    expect(Object.keys(migrations.services)).toEqual(['migrations'])
    expect(command.slice(2)).toEqual(parts)
    const addresses = SERVICES.filter(({ name }) => parts.includes(name)).map(({ database }) => database)
    expect(secrets).toEqual(addresses)
    expect(deploy).toMatchObject({ replicas: 1, restart_policy: { condition: 'none' } })
    for (const secret of secrets) expect(migrations.secrets[secret]).toEqual(stack.secrets[secret])
    expect(stack.services).not.toHaveProperty('migrations')
  })

  it('has Caddy in front where TLS is wanted, and the proxy trusts its network alone', () => {
    const { stack } = write({}, { tls: true })
    expect(stack.services.caddy?.ports).toHaveLength(2)
    const proxy = stack.services['reverse-proxy'] as Part
    expect(proxy.ports).toBeUndefined()
    expect(readFileSync(proxy.env_file[0] ?? '', 'utf8')).toContain('\nTRUSTED_PROXIES=10.91.0.0/24\n')
  })

  it('is refused without an image that every node finds', () => {
    for (const wrong of ['', 'windlass:0.1.0', 'library/windlass'])
      expect(() => write({ WINDLASS_IMAGE: wrong })).toThrow(/WINDLASS_IMAGE/)
  })

  it('runs anchors as services of the cluster, from an image of their own where one is named', () => {
    const anchorsOf = (settings: Record<string, string>) => {
      const [file = ''] = (write(settings).stack.services['control-plane'] as Part).env_file
      return readFileSync(file, 'utf8')
        .match(/^ANCHOR_(RUNTIME|IMAGE|VOLUME)=.*$/gm)
        ?.toSorted()
    }
    expect(anchorsOf({})).toEqual([`ANCHOR_IMAGE=${image}`, 'ANCHOR_RUNTIME=swarm'])
    const own = 'registry.example.com/anchors:2'
    expect(anchorsOf({ ANCHOR_RUNTIME: 'swarm', ANCHOR_IMAGE: own })).toContain(`ANCHOR_IMAGE=${own}`)
    expect(() => write({ ANCHOR_IMAGE: 'anchors:2' })).toThrow(/ANCHOR_IMAGE must name .* registry/)
  })

  it('is refused with another runtime of anchors, such as that of one machine', () => {
    for (const other of ['docker', 'processes'])
      expect(() => write({ ANCHOR_RUNTIME: other })).toThrow(/ANCHOR_RUNTIME is .* Remove it .* cluster:up/)
  })
})

describe('the network of a cluster', () => {
  const asked = async (listed: string) => {
    const made: string[] = []
    await ensureNetwork(async (...args) => {
      if (args[1] === 'ls') return listed
      made.push(args.join(' '))
      return ''
    })
    return made
  }

  it('is made where it is missing, and left where it reaches all nodes', async () => {
    expect(await asked('bridge bridge\nplatform-network overlay')).toEqual([
      expect.stringMatching(/^network create --driver overlay --attachable .* platform-net$/),
    ])
    expect(await asked('platform-net overlay\nbridge bridge')).toEqual([])
  })

  it('is not the one that stack:up left on this machine', async () => {
    await expect(asked('platform-net bridge')).rejects.toThrow(/bridge.*npm run stack:down/)
  })
})

it('copies are counted for all parts or for one', () => {
  const copies = readCopies(['3', 'aggregator=4'])
  expect([copies('signer'), copies('aggregator'), readCopies([])('signer')]).toEqual([3, 4, 2])
  for (const wrong of ['none', '0', 'postgres=2', 'mail-catcher=2'])
    expect(() => readCopies([wrong])).toThrow(wrong)
})
