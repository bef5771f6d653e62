import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { identify } from '@windlass/runtimes/processes/process-identity.ts'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { generateBaseEnv, parseEnvFile } from '../base-env.ts'
import { createBackup } from '../backups/create.ts'
import { storeAt } from '../backups/store-at.ts'
import { readRelease, type Release } from '../built-from.ts'
import { writeKnown } from '../data-migrations.ts'
import { terminalProgress } from '../progress.ts'
import { launcherVersion } from '../restarts.ts'
import { takeLock } from '../run-files.ts'
import { BackedUpStack, createBackupKeys } from '../testing/backed-up-stack.ts'
import { upgrade } from './upgrade.ts'

const OLD: Release = { version: '0.0.1', commit: 'aaaaaaaaaaaa' }
const NEW: Release = { version: '9.0.0', commit: 'bbbbbbbbbbbb' }
const THIS = readRelease()
let root: string
let stack: BackedUpStack

beforeEach(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-upgrade-'))
  chmodSync(root, 0o755)
  const keys = await createBackupKeys()
  stack = new BackedUpStack(join(root, 'home'), keys, join(root, 'backups'))
  writeFileSync(join(root, 'key.txt'), `${keys.key.identities[0]}\nsigned-by ${keys.key.signers[0]}\n`)
  await stack.start()
})
afterEach(async () => {
  await stack.stop()
  rmSync(root, { recursive: true })
})

const recordFile = () => join(stack.home.folder, 'last-upgrade')
const remember = (record: object) => writeFileSync(recordFile(), JSON.stringify(record))
const record = () => JSON.parse(readFileSync(recordFile(), 'utf8')) as Record<string, unknown>
function run(...args: string[]): Promise<number> {
  const silent = () => undefined
  const progress = { ...terminalProgress(true), done: silent, note: silent, plain: silent, warn: silent }
  const local = parseEnvFile(generateBaseEnv(), 'base.env')
  const environment = { ...local, ...stack.keys.variables, BACKUP_ENCRYPT_TO: stack.keys.recipients.join() }
  return upgrade.run({ args, environment, home: stack.home, progress })
}

it('a second upgrade to the same release keeps the way back of the first', async () => {
  const first = { at: '2026-01-01T00:00:00.000Z', from: OLD, to: THIS, backup: '/backups/first' }
  remember(first)
  await stack.stop()
  expect(await run('--to', stack.place)).toBe(0)
  expect(record()).toEqual(first)
  expect(await run('--no-backup')).toBe(0)
  expect(record()).toEqual(first)
})

it('an upgrade to a further release keeps the way back of the one before behind its own', async () => {
  const before = { at: '2026-01-01T00:00:00.000Z', from: OLD, to: NEW, backup: '/backups/first' }
  remember(before)
  await stack.stop()
  expect(await run('--to', stack.place)).toBe(0)
  expect(record()).toMatchObject({ to: THIS, backup: expect.stringContaining(stack.place), before })
})

it('in another checkout than the one of the running stack nothing is restarted: it would load the old release', async () => {
  const launcher = spawn('sleep', ['60'])
  onTestFinished(() => void launcher.kill())
  const identity = await identify(launcher.pid ?? 0)
  if (!identity) throw new Error('it does not run')
  const lock = {
    name: 'windlass',
    startedAt: new Date().toISOString(),
    ready: true,
    services: [],
    variables: {},
  }
  const from = { launcher: launcherVersion(), release: OLD, checkout: '/srv/windlass-1.0.0' }
  await takeLock(stack.home.run, { ...identity, ...lock, ...from })
  expect(await run('--no-backup')).toBe(4)
  expect(launcher.exitCode ?? launcher.signalCode).toBeNull()
})

it('what does not change the release is not recorded, and the way back is kept until it is confirmed', async () => {
  await stack.stop()
  writeKnown(stack.home, { release: THIS, migrations: {} })
  expect(await run('--to', stack.place)).toBe(0)
  expect(existsSync(recordFile())).toBe(false)
  // Whatever release the launcher was started from: its parts may have been upgraded since.
  writeKnown(stack.home, { release: OLD, migrations: {} })
  expect(await run('--to', stack.place)).toBe(0)
  const first = record()
  expect(first).toMatchObject({ from: OLD, to: THIS, backup: expect.stringContaining(stack.place) })
  writeKnown(stack.home, { release: THIS, migrations: {} })
  expect(await run('--no-backup')).toBe(0)
  expect(record()).toEqual(first)
  expect(await run('confirm')).toBe(0)
  expect(existsSync(recordFile())).toBe(false)
  await expect(run('confirm')).rejects.toThrow('There is no upgrade to confirm')
})

it('goes back with the release of the backup alone, and once', async () => {
  await stack.sql('create table things (id int)')
  const store = await storeAt(stack.place, stack.home, stack.keys.variables)
  const { recipients, variables } = stack.keys
  const { signal } = new AbortController()
  const { file } = await createBackup({ home: stack.home, store, variables, lock: { recipients }, signal })
  await stack.sql('insert into things values (1)')
  await stack.stop()
  const key = ['--key', join(root, 'key.txt')]
  const back = { at: '2026-01-02T00:00:00.000Z', from: OLD, to: NEW, backup: file }
  remember(back)
  await expect(run('back', ...key)).rejects.toThrow(/The backup is of 0\.0\.1 .*, and this is/)
  remember({ ...back, from: THIS, before: back })
  expect(await run('back', ...key)).toBe(0)
  await stack.start()
  expect(await stack.sql('select * from things')).toEqual([])
  expect(record()).toEqual(back)
  await stack.stop()
  await expect(run('back', ...key)).rejects.toThrow('The backup is of 0.0.1')
  remember({ ...back, from: THIS })
  expect(await run('back', ...key)).toBe(0)
  await expect(run('back', ...key)).rejects.toThrow('There was no upgrade')
})

it('goes back to 0.1.0, which has no such command, with the release that was upgraded to', async () => {
  await stack.sql('create table things (id int)')
  await stack.stop()
  const ledger = join(stack.home.folder, 'local-network')
  mkdirSync(ledger)
  const later = new DatabaseSync(join(ledger, 'ledger.sqlite'))
  later.exec(`CREATE TABLE network (id, passphrase, deploys); CREATE TABLE transactions (id, resource_fee);
    CREATE TABLE contract_balances (contract); CREATE TABLE asset_contracts (contract); PRAGMA user_version = 4`)
  later.close()
  expect(await run('--to', stack.place)).toBe(0)
  expect(record()).toMatchObject({ from: null, to: THIS })
  await stack.start()
  await stack.sql('insert into things values (1)')
  await stack.stop()
  expect(await run('back', '--key', join(root, 'key.txt'))).toBe(0)
  await stack.start()
  expect(await stack.sql('select * from things')).toEqual([])
  // Its local network refuses a ledger of a later version.
  const sqlite = new DatabaseSync(join(ledger, 'ledger.sqlite'))
  expect(sqlite.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
  sqlite.close()
})
