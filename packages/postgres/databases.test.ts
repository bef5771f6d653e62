import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { OLDEST_PROGRAMS } from '@windlass/testing/oldest-postgres.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  closeSharedDatabases,
  databaseUrl,
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  refuseLargeObjects,
} from './databases.ts'
import { type RunningPostgres, startPostgres } from './start.ts'

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const versions = [
  { of: 'npm', programs: undefined },
  ...(existsSync(OLDEST_PROGRAMS) ? [{ of: 'Debian 12', programs: OLDEST_PROGRAMS }] : []),
]

describe.each(versions)('databases and roles of the Postgres from $of', ({ programs }) => {
  let url: string
  let home: string
  let postgres: RunningPostgres
  beforeAll(async () => {
    home = mkdtempSync(join(fastFolder(), 'windlass-roles-'))
    chmodSync(home, 0o755)
    const dataFolder = join(home, 'data')
    postgres = await startPostgres({ dataFolder, port: 0, superuserPassword: 'wörd/:@ #', programs })
    url = postgres.url
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(home, { recursive: true })
  })

  it('lets each role connect to its own database only, and can be repeated', async () => {
    const superuser = await connect(url)
    for (const name of ['an"chor', 'other']) {
      for (const _ of [1, 2]) {
        await ensureRole(superuser, name, `pass'${name}`)
        await ensureDatabase(superuser, name, name)
      }
    }
    const own = await connect(databaseUrl(url, 'an"chor', 'an"chor', `pass'an"chor`))
    expect((await own.query('SELECT current_user AS me')).rows).toEqual([{ me: 'an"chor' }])
    await own.query('CREATE TABLE public.mine (id int)')
    await expect(connect(databaseUrl(url, 'other', 'an"chor', `pass'an"chor`))).rejects.toMatchObject({
      code: '42501',
    })
    await ensureRole(superuser, 'an"chor', 'rotated')
    await expect(connect(databaseUrl(url, 'an"chor', 'an"chor', `pass'an"chor`))).rejects.toMatchObject({
      code: '28P01',
    })
    await dropDatabase(superuser, 'an"chor')
    await dropRole(superuser, 'an"chor')
    await dropDatabase(superuser, 'never existed')
    await superuser.end()
  })

  it('keeps roles out of shared databases and from creating large objects', async () => {
    const superuser = await connect(url)
    await closeSharedDatabases(superuser)
    const template = await connect(Object.assign(new URL(url), { pathname: '/template1' }).href)
    await refuseLargeObjects(template)
    await template.end()
    await ensureRole(superuser, 'creator', 'c', { createsDatabases: true })
    await ensureDatabase(superuser, 'creator', 'creator')
    for (const shared of ['postgres', 'template1']) {
      await expect(connect(databaseUrl(url, shared, 'creator', 'c'))).rejects.toMatchObject({ code: '42501' })
    }
    const creator = await connect(databaseUrl(url, 'creator', 'creator', 'c'))
    // A database that a role creates for another is closed in the same way.
    await creator.query('CREATE DATABASE later')
    await creator.end()
    const later = await connect(databaseUrl(url, 'later', 'creator', 'c'))
    for (const statement of ['lo_create(0)', 'lo_creat(-1)', "lo_from_bytea(0, 'x')"]) {
      await expect(later.query(`SELECT ${statement}`)).rejects.toMatchObject({ code: '42501' })
    }
    await later.end()
    await superuser.end()
  })
})
