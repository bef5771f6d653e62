import { databaseUrl } from '@windlass/postgres/databases.ts'
import { startPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { ensureDatabases } from './databases.ts'
import { CHECKOUT } from './home.ts'
import { DATABASES } from './services.ts'
import { rolePassword } from './settings.ts'

it('the signer gets a connection where all others are in use, which the runbook knows by Postgres’ words', async () => {
  const folder = mkdtempSync(join(fastFolder(), 'windlass-reserved-'))
  chmodSync(folder, 0o755)
  const settings = { max_connections: 12, reserved_connections: 4 }
  const dataFolder = join(folder, 'data')
  const postgres = await startPostgres({ dataFolder, port: 0, superuserPassword: 'p', settings })
  const variables = { POSTGRES_PASSWORD: 'p' }
  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client(databaseUrl(postgres.url, name, name, rolePassword(variables, name)))
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const clients: pg.Client[] = []
  try {
    await ensureDatabases(postgres.url, [...DATABASES], variables)
    let refusal: unknown
    while (!refusal && clients.length < 20)
      await connect('windlass_platform').then(
        client => clients.push(client),
        (error: unknown) => (refusal = error),
      )
    expect(refusal).toMatchObject({ code: '53300' })
    const runbook = readFileSync(join(CHECKOUT, 'docs/runbooks/WindlassDatabaseDown.md'), 'utf8')
    expect((refusal as Error).message).toMatch(/^remaining connection slots are reserved/)
    expect(runbook).toContain('remaining connection slots are reserved')
    clients.push(await connect('windlass_signer'), await connect('windlass_secrets_store'))
  } finally {
    for (const client of clients) await client.end().catch(() => undefined)
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
})
