import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { startPostgres, type RunningPostgres } from '@windlass/postgres/start.ts'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { homeAt, prepareHome } from '../home.ts'
import { startBucketServer, type BucketServer } from '../testing/bucket-server.ts'
import { createKey } from './archive.ts'
import { bucketStore } from './bucket.ts'
import { archiveWal, createBackup } from './create.ts'
import { restoreBackup } from './restore.ts'
import { backupFor, backupName, listBackups, pruneBackups } from './shelf.ts'
import { createSigningKey, signerOf } from './signature.ts'
import { bucketOf, storeAt } from './store-at.ts'
import type { Store } from './store.ts'

const BUCKET = 'backups'
const PLACE = `s3://${BUCKET}/windlass/one`
/** Sent in two parts. */
const LARGE = randomBytes(17 * 2 ** 20)
const { signal } = new AbortController()
let root: string
let server: BucketServer
let store: Store

const scratch = () => join(root, 'unsent')
const at = (settings: Record<string, string> = {}, place = PLACE, silentMs?: number) =>
  bucketStore(bucketOf(place, { ...server.settings, ...settings }), scratch, silentMs)

async function put(name: string, content: Buffer | string): Promise<void> {
  writeFileSync(store.local(name), content)
  await store.put(name, signal)
}
const content = (name: string) => store.read(name, async file => readFileSync(file))
const leftHere = () =>
  existsSync(scratch())
    ? readdirSync(scratch(), { recursive: true, withFileTypes: true }).filter(f => f.isFile())
    : []

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-bucket-'))
  chmodSync(root, 0o755)
  server = await startBucketServer(BUCKET)
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => {
  server.fail(() => undefined)
  store = at()
})

describe('a bucket', () => {
  it('keeps files under its folder, lists them and removes them; nothing stays on this machine', async () => {
    await put('windlass-one', 'one')
    await put('wal/7/large', LARGE)
    expect(store.pathOf('windlass-one')).toBe(`${PLACE}/windlass-one`)
    expect((await store.list('')).map(({ name, bytes }) => [name, bytes])).toEqual([
      ['wal/7/large', LARGE.length],
      ['windlass-one', 3],
    ])
    expect((await content('wal/7/large')).equals(LARGE)).toBe(true)
    expect([await store.has('windlass-one'), await store.has('windlass-two')]).toEqual([true, false])
    await store.remove('windlass-one')
    expect((await store.list('windlass-')).length).toBe(0)
    expect(leftHere()).toEqual([])
  })

  it.each([
    ['as a whole, once where several do so at the same time', undefined, [false, true]],
    ['where it knows no condition: who writes reads it again', 'unconditional', [true, true]],
  ] as const)('keeps a small file %s', async (_, fault, kept) => {
    server.fail(() => fault)
    const name = `small-${fault ?? 'whole'}.json`
    expect(await store.readText(name)).toBeUndefined()
    const written = await Promise.all(['one', 'two'].map(text => store.writeText(name, text, true)))
    expect(written.sort()).toEqual(kept)
    const text = await store.readText(name)
    expect(['one', 'two']).toContain(text)
    expect(await store.writeText(name, 'three')).toBe(true)
    expect(await store.readText(name)).toBe('three')
    await store.remove(name)
  })

  it('lists no name that could lead out of its folder', async () => {
    const outside = at({}, `${PLACE}/wal/7/.hidden`)
    writeFileSync(outside.local('evil'), 'x')
    await outside.put('evil', signal)
    expect((await outside.list('')).map(({ name }) => name)).toEqual(['evil'])
    expect((await store.list('wal/')).filter(({ name }) => name.includes('evil'))).toEqual([])
  })

  it('gets and sends a file again where a request fails once', async () => {
    let requests = 0
    server.fail(() => (requests++ === 0 ? '500' : undefined))
    await put('once', 'once')
    requests = 0
    server.fail(({ method }) => (method === 'GET' && requests++ === 0 ? 'cut' : undefined))
    await put('large', LARGE)
    expect((await content('large')).equals(LARGE)).toBe(true)
    expect(requests).toBeGreaterThan(1)
  })

  it.each([
    ['answers 500 each time', '500', 'answered 500'],
    ['does not answer', 'hang', 'cannot be reached or does not answer'],
    ['cuts the connection in the middle', 'cut', 'cannot be reached or does not answer'],
  ] as const)(
    'that %s gets no part of a file and says why',
    async (_, fault, why) => {
      if (fault === 'hang') store = at({}, PLACE, 300)
      server.fail(({ method }) => (method === 'PUT' ? fault : undefined))
      await expect(put('failed', LARGE)).rejects.toThrow(why)
      await expect(put('failed', 'small')).rejects.toThrow(`${PLACE}/failed`)
      server.fail(() => undefined)
      expect(await at().has('failed')).toBe(false)
      expect(leftHere()).toEqual([])
    },
    60_000,
  )

  it('that keeps a part of what it got is found out, and keeps nothing', async () => {
    server.fail(({ method }) => (method === 'PUT' ? 'half' : undefined))
    await expect(put('short', Buffer.alloc(1000))).rejects.toThrow('kept 500 of 1000 bytes')
    server.fail(() => undefined)
    expect(await store.has('short')).toBe(false)
  })

  it.each([
    ['in one piece', Buffer.alloc(1000)],
    ['in parts', LARGE],
  ])('that keeps a part of what it got %s, and does not let us remove it, has no backup', async (_, sent) => {
    const name = backupName('2026-01-02T03:04:05.678Z')
    server.fail(({ method }) => (method === 'PUT' ? 'half' : method === 'DELETE' ? 'forged' : undefined))
    await expect(put(name, sent)).rejects.toThrow(`kept ${sent.length / 2} of ${sent.length} bytes`)
    expect((await store.list('windlass-')).map(file => file.name)).toEqual([name])
    expect([await store.has(name), await listBackups(store)]).toEqual([false, []])
    await expect(backupFor(store, undefined)).rejects.toThrow('There is no backup')
    server.fail(() => undefined)
    await put(name, sent)
    expect((await listBackups(store)).map(backup => backup.name)).toEqual([name])
    await store.remove(name)
  })

  it('that refuses the credentials, or is not there, says which setting is wrong', async () => {
    server.fail(() => 'forged')
    await expect(store.list('')).rejects.toThrow(
      /refuses it \(SignatureDoesNotMatch\).*BACKUP_S3_SECRET_ACCESS_KEY/,
    )
    server.fail(() => undefined)
    await expect(at({ BACKUP_S3_ACCESS_KEY_ID: 'nobody' }).list('')).rejects.toThrow(
      'BACKUP_S3_ACCESS_KEY_ID',
    )
    await expect(at({}, 's3://others/x').list('')).rejects.toThrow('there is no bucket others')
    await expect(at({ BACKUP_S3_ENDPOINT: 'http://127.0.0.1:9' }).list('')).rejects.toThrow(
      'http://127.0.0.1:9 cannot be reached',
    )
    expect(() => at({ BACKUP_S3_SECRET_ACCESS_KEY: '' })).toThrow('BACKUP_S3_SECRET_ACCESS_KEY is not set')
    expect(() => at({}, 's3://')).toThrow('names no bucket')
  })
})

describe('a machine that is gone', () => {
  const PASSWORD = 'superuser'
  const signingKey = createSigningKey()
  let postgres: RunningPostgres

  const start = async (dataFolder: string) => {
    postgres = await startPostgres({
      dataFolder,
      port: 0,
      superuserPassword: PASSWORD,
      settings: { max_connections: 50 },
    })
  }
  async function sql(text: string): Promise<unknown[]> {
    const client = new pg.Client(postgres.url)
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }

  it('is restored from the bucket alone, as of any time', async () => {
    const home = homeAt(join(root, 'gone'))
    prepareHome(home)
    writeFileSync(home.baseEnvFile, `POSTGRES_PASSWORD=${PASSWORD}\n`, { mode: 0o600 })
    await start(home.postgres)
    const { identity, recipient } = await createKey()
    const variables = { ...server.settings, POSTGRES_PASSWORD: PASSWORD, BACKUP_SIGNING_KEY: signingKey }
    const place = 's3://backups/gone'
    const options = {
      home,
      variables,
      signal,
      lock: { recipients: [recipient] },
      store: await storeAt(place, home, variables),
    }
    await sql(`create table things (name text); insert into things values ('before')`)
    await archiveWal(postgres.url, options)
    const { file } = await createBackup(options)
    await sql(`insert into things values ('after')`)
    const between = new Date()
    await sql(`insert into things values ('mistake')`)
    // A store that is away for a while costs nothing of the log.
    server.fail(() => '500')
    await expect(archiveWal(postgres.url, options)).rejects.toThrow('answered 500')
    server.fail(() => undefined)
    await archiveWal(postgres.url, options)
    await postgres.stop()
    rmSync(home.folder, { recursive: true })

    const next = homeAt(join(root, 'next'))
    const from = await storeAt(place, next, server.settings)
    const found = await backupFor(from, between)
    expect(found.file).toBe(file)
    const key = { identities: [identity], signers: [signerOf(signingKey)] }
    await restoreBackup({
      home: next,
      store: from,
      name: found.name,
      key,
      at: between,
      replace: false,
      signal,
      step: () => undefined,
    })
    expect(readFileSync(next.baseEnvFile, 'utf8')).toContain(PASSWORD)
    await start(next.postgres)
    expect(await sql('select name from things order by name')).toEqual([
      { name: 'after' },
      { name: 'before' },
    ])
    await postgres.stop()

    await expect(createBackup({ ...options, home: next, store: from })).rejects.toThrow('another stack')
    await pruneBackups(from, 1)
    expect((await listBackups(from)).map(({ name }) => name)).toEqual([found.name])
  })
})
