import { findRunning } from '@windlass/postgres/start.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePorts } from '@windlass/testing/free-ports.ts'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseEnvFile } from './base-env.ts'
import { doctor } from './commands/doctor.ts'
import { anchors, jobs } from './commands/lists.ts'
import { CHECKOUT, type Home, homeAt } from './home.ts'
import { terminalProgress } from './progress.ts'
import { rolePassword } from './settings.ts'
import { raiseStack, type Stack } from './stack.ts'

let root: string
let home: Home
let ports: number[]
let stack: Stack | undefined

beforeEach(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-data-migrations-'))
  chmodSync(root, 0o755)
  home = homeAt(join(root, 'home'))
  ports = await freePorts(2)
})
afterEach(async () => {
  await stack?.stop()
  rmSync(root, { recursive: true })
})

const silent = () => undefined
const schema = [
  sharedMigrations,
  ...['packages/kyc-providers', 'apps/platform-api'].map(folder => join(CHECKOUT, folder, 'migrations')),
]
const environment = () => ({ POSTGRES_PORT: String(ports[0]), PROXY_PORT: String(ports[1]) })

/** Postgres with the databases of all parts, and no part. */
async function start(): Promise<void> {
  const progress = { ...terminalProgress(true), heading: silent, note: silent, done: silent, plain: silent }
  const interrupted = new AbortController().signal
  stack = await raiseStack({ home, progress, services: [], interrupted, environment: environment() })
}
async function stop(): Promise<void> {
  await stack?.stop()
  stack = undefined
}
async function inSigner(statement: string): Promise<void> {
  const { POSTGRES_PASSWORD = '' } = parseEnvFile(readFileSync(home.baseEnvFile, 'utf8'), home.baseEnvFile)
  const server = `postgres://127.0.0.1:${findRunning(home.postgres)?.port}`
  const login = 'windlass_signer'
  const connectionString = databaseUrl(server, login, login, rolePassword({ POSTGRES_PASSWORD }, login))
  const pool = new pg.Pool({ connectionString, max: 1 })
  await pool.query(statement).finally(() => pool.end())
}
async function failuresOfDoctor(): Promise<string[]> {
  const said: string[] = []
  const progress = { ...terminalProgress(true), heading: silent, done: silent, warn: silent }
  const fail = (text: string) => void said.push(text)
  await doctor.run({ args: [], environment: environment(), home, progress: { ...progress, fail } })
  return said
}

it('jobs and anchors are listed of a stack that is stopped, which stays so', async () => {
  await start()
  const { POSTGRES_PASSWORD = '' } = parseEnvFile(readFileSync(home.baseEnvFile, 'utf8'), home.baseEnvFile)
  const password = rolePassword({ POSTGRES_PASSWORD }, 'windlass_platform')
  const server = `postgres://127.0.0.1:${findRunning(home.postgres)?.port}`
  const url = databaseUrl(server, 'windlass_platform', 'windlass_platform', password)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  await migrate(pool, schema).finally(() => pool.end())
  await stop()
  for (const list of [jobs, anchors]) {
    const where = { environment: environment(), home, progress: terminalProgress(true) }
    expect(await list.run({ args: ['--json'], ...where })).toBe(0)
    expect(findRunning(home.postgres)).toBeUndefined()
  }
})

it('databases that a newer release has migrated start with no older one, which names the release that they need', async () => {
  await start()
  await inSigner('create table schema_migrations (name text, applied_at timestamptz, release text)')
  await inSigner(`insert into schema_migrations values ('0001-signer.sql', now(), null)`)
  await stop()
  await start()
  await inSigner(`insert into schema_migrations values ('9000-later.sql', now(), '9.1.0')`)
  await stop()
  // The newer release did so, and remembered it when it had started.
  await start()
  await stop()
  const refusal =
    /SIGNER_DATABASE_URL was migrated by release 9\.1\.0 \(9000-later\.sql.*Start release 9\.1\.0/
  await expect(start()).rejects.toThrow(refusal)
  expect(await failuresOfDoctor()).toContainEqual(expect.stringMatching(refusal))
})
