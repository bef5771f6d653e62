import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePorts } from '@windlass/testing/free-ports.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { generateBaseEnv, parseEnvFile } from './base-env.ts'
import { type Home, homeAt } from './home.ts'
import { terminalProgress } from './progress.ts'
import { DATABASES } from './services.ts'
import { raiseStack, type Stack } from './stack.ts'

let root: string
let home: Home
let stack: Stack | undefined

beforeEach(() => {
  root = mkdtempSync(join(fastFolder(), 'windlass-data-keys-'))
  chmodSync(root, 0o755)
  home = homeAt(join(root, 'home'))
})
afterEach(async () => {
  await stack?.stop()
  rmSync(root, { recursive: true })
})

/** Postgres with the signer's database, and no service. */
async function start(more: Record<string, string> = {}): Promise<void> {
  const [port = 0] = await freePorts(2)
  const elsewhere = DATABASES.slice(0, -1).map(({ variable }) => [variable, 'postgres://elsewhere.example/x'])
  const silent = () => undefined
  const progress = { ...terminalProgress(true), heading: silent, note: silent, done: silent, plain: silent }
  stack = await raiseStack({
    ...{ home, progress, services: [], interrupted: new AbortController().signal },
    environment: {
      ...Object.fromEntries(elsewhere),
      ...{ POSTGRES_PORT: String(port), PROXY_PORT: String(port + 1), ...more },
    },
  })
}
async function stop(): Promise<void> {
  await stack?.stop()
  stack = undefined
}

it('databases do not start without the base env file that was beside them, nor with another one', async () => {
  await start()
  await stop()
  const kept = join(root, 'kept.env')
  renameSync(home.baseEnvFile, kept)
  for (let times = 0; times < 2; times++) await expect(start()).rejects.toThrow('with their keys is missing')
  expect(existsSync(home.baseEnvFile)).toBe(false)

  writeFileSync(home.baseEnvFile, generateBaseEnv(), { mode: 0o600 })
  await expect(start()).rejects.toThrow(/_KEY has none of the keys with which the databases/)
  renameSync(kept, home.baseEnvFile)
  await start()
})

it('databases follow a rotation of keys, key by key', async () => {
  await start()
  await stop()
  const { MASTER_KEY = '' } = parseEnvFile(readFileSync(home.baseEnvFile, 'utf8'), home.baseEnvFile)
  const { MASTER_KEY: other = '' } = parseEnvFile(generateBaseEnv(), 'base.env')
  const added = other.replace('v1', 'v2')
  await start({ MASTER_KEY: `${added},${MASTER_KEY}` })
  await stop()
  await start({ MASTER_KEY: added })
  await stop()
  await expect(start({ MASTER_KEY })).rejects.toThrow('MASTER_KEY has none of the keys')
})

it('a restore that was killed before it was complete is run again before anything starts', async () => {
  await start()
  await stop()
  const { folder } = placeData(home.postgres)
  renameSync(folder, `${folder}.restored`)
  await expect(start()).rejects.toThrow('A restore was interrupted')
  expect(existsSync(folder)).toBe(false)
})
