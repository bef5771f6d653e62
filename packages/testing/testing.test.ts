import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from './database.ts'
import { fakeClock } from './fake-clock.ts'
import { findTexts } from './find-texts.ts'
import { freePort, freePorts } from './free-ports.ts'

const migrations = mkdtempSync(join(tmpdir(), 'windlass-migrations-'))
writeFileSync(join(migrations, '0001-notes.sql'), 'CREATE TABLE notes (text text NOT NULL);')
afterAll(() => rmSync(migrations, { recursive: true }))

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('a test database', () => {
  it('is migrated and separate, even when many are created at once', async () => {
    const databases = await Promise.all(Array.from({ length: 5 }, () => testDatabase(migrations)))
    const [first, ...others] = databases
    await query(first!.url, `INSERT INTO notes VALUES ('mine')`)
    expect(await query(first!.url, 'SELECT text FROM notes')).toEqual([{ text: 'mine' }])
    for (const other of others) expect(await query(other.url, 'SELECT text FROM notes')).toEqual([])
    await Promise.all(databases.map(database => database.drop()))
    await expect(query(first!.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' })
  })

  it('reflects a changed migration', async () => {
    const before = await testDatabase(migrations)
    writeFileSync(join(migrations, '0002-authors.sql'), 'CREATE TABLE authors (name text);')
    const after = await testDatabase(migrations)
    expect(await query(after.url, 'SELECT * FROM authors')).toEqual([])
    await expect(query(before.url, 'SELECT * FROM authors')).rejects.toMatchObject({ code: '42P01' })
    await Promise.all([before.drop(), after.drop()])
  })

  it('is empty without migrations', async () => {
    const database = await testDatabase()
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
    expect(await query(database.url, tables)).toEqual([])
    await database.drop()
  })
})

it('a readable text is found wherever a database stores it', async () => {
  const database = await testDatabase()
  const token = Buffer.from('xPlanted name').toString('base64')
  await query(
    database.url,
    `CREATE TABLE kept (plain text, document jsonb, bytes bytea, coded text, other text);
     INSERT INTO kept VALUES ('a Planted name', '{"deep":["Planted name"]}', 'Planted name', '${token}', 'nothing')`,
  )
  expect(await findTexts(database.url, ['Planted name', 'Absent'])).toEqual(
    ['bytes', 'coded', 'document', 'plain'].map(column => `public.kept.${column}: Planted name`),
  )
  await database.drop()
})

it('a fake clock changes only when the test advances it', () => {
  const clock = fakeClock('2026-01-01T00:00:00Z')
  expect(clock.now()).toEqual(clock.now())
  clock.advance(1500)
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:01.500Z')
  clock.set('2027-01-01T00:00:00Z')
  expect(clock.now().getUTCFullYear()).toBe(2027)
})

it('free ports are given once, where nothing listens and no outgoing connection begins', async () => {
  const last = await freePort()
  const taken = createServer().listen(last + 1, '127.0.0.1')
  await once(taken, 'listening')
  const ports = (await Promise.all([freePorts(3), freePorts(2), freePort()])).flat()
  taken.close()
  expect(new Set([...ports, last, last + 1]).size).toBe(8)
  const outgoing = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  expect(Math.max(...ports)).toBeLessThan(Number.parseInt(outgoing, 10))
})
