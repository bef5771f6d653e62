import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RuntimeError, type Runtime, type ServerSpec } from '../runtime.ts'
import { delegateRuntime, serveRuntime, type Delegate } from './delegated.ts'
import { firstUnreachable, prepareUser } from './server-user.ts'

const ANCHOR = 'abcdefghijklmnop'
let home: string
let started: unknown[]
let carryOut: Delegate
let spec: ServerSpec

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'windlass-delegated-')))
  mkdirSync(join(home, 'releases/2'), { recursive: true })
  writeFileSync(join(home, 'releases/2/sep.mjs'), '')
  started = []
  const state = {
    anchorId: ANCHOR,
    role: 'sep' as const,
    running: true,
    port: 20_000,
    version: '1',
    startedAt: '',
  }
  const runtime: Partial<Runtime> = {
    start: async given => {
      started.push(given)
      return state
    },
    inspect: async () => null,
    canRun: async () => {
      throw new RuntimeError('port-taken', 'Port 1 is used by another program.')
    },
  }
  carryOut = serveRuntime(runtime as Runtime, {
    anchorsFolder: join(home, 'anchors'),
    releasesFolder: join(home, 'releases'),
    firstUser: 20_000,
    lastUser: 100_000,
  })
  spec = {
    ...{ anchorId: ANCHOR, role: 'sep', slot: 'a', version: '0.1.0', port: 20_000 },
    folder: join(home, 'anchors', ANCHOR),
    env: { IS_MAINNET: 'false' },
    files: { SEP_JWT_SECRET_FILE: 'secrets/sep_jwt_secret' },
    user: { uid: 20_004, gid: 20_003, shared: ['secrets/link_secret'] },
  }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const overTheWire = (): Runtime =>
  delegateRuntime(
    async (act, args) => carryOut(act, JSON.parse(JSON.stringify(args)) as unknown[]),
    () => () => undefined,
  )

describe('a runtime of another process', () => {
  it('starts an anchor’s server as it was asked to', async () => {
    const program = join(home, 'releases/2/sep.mjs')
    await overTheWire().start({ ...spec, from: { program } })
    expect(started).toEqual([{ ...spec, from: { program } }])
    // As a probe of the launcher asks.
    expect(await overTheWire().inspect('probe', 'sep')).toBeNull()
  })

  it('starts the program that a link led to when it was checked', async () => {
    const program = join(home, 'link.mjs')
    symlinkSync(join(home, 'releases/2/sep.mjs'), program)
    await overTheWire().start({ ...spec, from: { program } })
    expect(started).toMatchObject([{ from: { program: join(home, 'releases/2/sep.mjs') } }])
  })

  it('reports why something failed by the same codes', async () => {
    await expect(overTheWire().canRun('sep')).rejects.toMatchObject({
      code: 'port-taken',
      message: 'Port 1 is used by another program.',
    })
  })

  it.each<[string, (spec: ServerSpec) => Record<string, unknown>]>([
    ['as root', () => ({ user: { uid: 0, gid: 0, shared: [] } })],
    ['as a service’s user', () => ({ user: { uid: 19_904, gid: 19_904, shared: [] } })],
    ['as a user of a container', () => ({ user: { uid: 100_002, gid: 100_001, shared: [] } })],
    ['as the anchor’s other server', () => ({ user: { uid: 20_005, gid: 20_003, shared: [] } })],
    ['as nobody in particular', () => ({ user: undefined })],
    ['in another folder', () => ({ folder: '/etc' })],
    ['in another anchor’s folder', ({ folder }) => ({ folder: `${folder}x` })],
    ['with a file from elsewhere', () => ({ files: { A: 'secrets/../../../etc/shadow' } })],
    ['with shared files from elsewhere', ({ user }) => ({ user: { ...user, shared: ['/etc/shadow'] } })],
    ['with another program', () => ({ from: { program: '/bin/sh' } })],
    ['with a program that climbs out of releases', () => ({ from: { program: 'releases/../../bin/sh' } })],
    ['with code in Node’s options', () => ({ env: { NODE_OPTIONS: '--require /x' } })],
    ['with a library of OpenSSL’s', () => ({ env: { OPENSSL_CONF: '/tmp/x' } })],
    ['with a library before all others', () => ({ files: { LD_PRELOAD: 'secrets/x' } })],
    ['on a privileged port', () => ({ port: 80 })],
    ['by an id that is a path', () => ({ anchorId: '../../../../etc' })],
  ])('does not start a server %s', async (_, change) => {
    const asked = { ...spec, ...change(spec) } as ServerSpec
    await expect(overTheWire().start(asked)).rejects.toBeInstanceOf(RuntimeError)
    expect(started).toEqual([])
  })
})

const canChangeUser = process.getuid?.() === 0 && (await firstUnreachable(process.execPath, -1)) === null
describe.runIf(canChangeUser)('files that become a server’s', () => {
  it('are never those that a link of the folder’s owner leads to', async () => {
    mkdirSync(join(home, 'anchors', ANCHOR, 'secrets'), { recursive: true })
    writeFileSync(join(home, 'treasure'), 'root’s', { mode: 0o600 })
    symlinkSync(join(home, 'treasure'), join(home, 'anchors', ANCHOR, 'secrets/sep_jwt_secret'))
    const preparing = { program: process.execPath, required: true, owner: { uid: 19_908, gid: 19_908 } }
    chmodSync(home, 0o711)
    expect(await prepareUser({ ...spec, files: {} }, preparing)).toEqual({ uid: 20_004, gid: 20_003 })
    await expect(prepareUser(spec, preparing)).rejects.toThrow('is not a file or folder of the anchor')
    rmSync(join(home, 'anchors', ANCHOR, 'secrets'), { recursive: true })
    symlinkSync(home, join(home, 'anchors', ANCHOR, 'secrets'))
    const treasure = { ...spec, files: { A: 'secrets/treasure' } }
    await expect(prepareUser(treasure, preparing)).rejects.toThrow('is not a file or folder of the anchor')
  })
})
