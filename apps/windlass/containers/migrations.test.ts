import { childEnvironment } from '@windlass/testing/processes.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from '../home.ts'
import { SERVICES } from '../services.ts'

describe('the container that migrates the parts’ databases', () => {
  const parts = SERVICES.flatMap(({ name, database }) => (database ? [{ name, variable: database }] : []))
  const databases = new Map<string, TestDatabase>()
  beforeAll(async () => {
    for (const { name } of parts) databases.set(name, await testDatabase())
  })
  afterAll(async () => {
    for (const database of databases.values()) await database.drop()
  })

  const run = async (...names: string[]) => {
    const addresses = parts.map(({ name, variable }) => [variable, databases.get(name)?.url ?? ''])
    const program = join(CHECKOUT, 'apps', 'windlass', 'containers', 'migrations', 'main.ts')
    const env = { ...childEnvironment(), ...Object.fromEntries(addresses) }
    const { promise, resolve } = Promise.withResolvers<{ status: unknown; stderr: string }>()
    execFile(process.execPath, [program, ...names], { env }, (error, _, stderr) =>
      resolve({ status: error?.code ?? 0, stderr }),
    )
    return promise
  }
  const ask = async (name: string, query: string) => {
    const client = new pg.Client({ connectionString: databases.get(name)?.url })
    await client.connect()
    return client.query<{ name: string }>(query).finally(() => client.end())
  }
  const migrations = (name: string) => ask(name, 'select name, applied_at from schema_migrations order by 1')

  it('makes the tables of each, and finds nothing left the next time', async () => {
    const names = parts.map(({ name }) => name)
    expect(names).toEqual(['secrets-store', 'signer', 'platform-api', 'control-plane', 'aggregator'])
    expect(await run(...names)).toEqual({ status: 0, stderr: '' })
    for (const name of names) expect((await migrations(name)).rowCount).toBeGreaterThan(0)
    const { rows } = await migrations('signer')
    expect(await run('signer')).toEqual({ status: 0, stderr: '' })
    expect((await migrations('signer')).rows).toEqual(rows)
  })

  it('ends at the first that fails, and says which and why', async () => {
    await ask('signer', "update schema_migrations set sha256 = 'another'")
    await ask('aggregator', 'drop table schema_migrations')
    const { status, stderr } = await run('signer', 'aggregator')
    expect(stderr).toMatch(
      /^SIGNER_DATABASE_URL: migration .* was edited after it had been applied\nsigner: its database was not migrated\n$/,
    )
    expect(status).toBe(1)
    await expect(migrations('aggregator')).rejects.toThrow(/does not exist/)
  })

  it('says which database is missing', async () => {
    await databases.get('control-plane')?.drop()
    const { status, stderr } = await run('control-plane')
    expect(stderr).toMatch(/^CONTROL_PLANE_DATABASE_URL: database .* does not exist\ncontrol-plane: /)
    expect(status).toBe(1)
  })
})
