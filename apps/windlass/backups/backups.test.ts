import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { findRunning, type RunningPostgres, startPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Home, homeAt, prepareHome } from '../home.ts'
import { GIVEN_SETTINGS } from '../settings.ts'
import { type Add, createKey, readArchive, readKeyFile, writeArchive } from './archive.ts'
import { archiveWal, createBackup } from './create.ts'
import { giveFolder, restoreBackup, verifyBackup } from './restore.ts'
import { backupFor, backupName, listBackups, pruneBackups, walFolder } from './shelf.ts'
import { createSigningKey, signerOf } from './signature.ts'
import { folderStore } from './store.ts'

const PASSWORD = 'superuser'
const SIGNING_KEY = createSigningKey()
const ENTRY = '00000000-0000-0000-0000-00000000000'
const signal = new AbortController().signal
let root: string
let home: Home
let folder: string
let postgres: RunningPostgres
let key: { identities: string[]; signers: string[] }
let lock: { recipients: string[] }
/** A moment between two changes. */
let between: Date

async function sql(text: string, database = 'anchor_1'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href,
  })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}
const start = async (of = home) => {
  postgres = await startPostgres({
    dataFolder: of.postgres,
    port: 0,
    superuserPassword: PASSWORD,
    settings: { max_connections: 50 },
  })
}
const options = () => ({
  home,
  store: folderStore(folder),
  lock,
  signal,
  variables: {
    ...{ POSTGRES_PASSWORD: PASSWORD, MASTER_KEY: 'v1:x', BACKUP_SIGNING_KEY: SIGNING_KEY },
    // As the schedule has them: HORIZON_URL follows from a port.
    ...{ HORIZON_URL: 'http://localhost:8000', [GIVEN_SETTINGS]: 'POSTGRES_PASSWORD,MASTER_KEY' },
  },
})
async function usingRestored(into: Home, act: () => Promise<void>): Promise<void> {
  const original = postgres
  await start(into)
  try {
    await act()
  } finally {
    await postgres.stop()
    postgres = original
  }
}
const names = async () => (await sql('select name from things order by name')).map(({ name }) => name)
const elsewhere = (name: string) => homeAt(join(root, name))
/** The backup of {@link beforeAll}. */
const firstFile = () => join(folder, readdirSync(folder).find(name => name.startsWith('windlass-')) ?? '')
const restoring = (
  into: Home,
  { file = firstFile(), ...more }: { file?: string; [other: string]: unknown } = {},
) => ({
  home: into,
  store: folderStore(dirname(file)),
  name: basename(file),
  key,
  signal,
  replace: false,
  step: () => undefined,
  ...more,
})

async function* blocks(size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; left -= 2 ** 16) yield Buffer.alloc(Math.min(left, 2 ** 16))
}
async function readManifestOf(file = ''): Promise<Buffer> {
  let manifest: Buffer | undefined
  await readArchive(file, key, 'backup', signal, async ({ path, content }) => {
    const bytes = Buffer.concat(await content.toArray())
    if (path === 'manifest.json') manifest = bytes
  })
  return manifest ?? Buffer.from('')
}

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-backup-'))
  chmodSync(root, 0o755)
  home = homeAt(join(root, 'home'))
  folder = join(root, 'backups')
  const { identity, recipient } = await createKey()
  key = { identities: [identity], signers: [signerOf(SIGNING_KEY)] }
  lock = { recipients: [recipient] }
  prepareHome(home)
  writeFileSync(home.baseEnvFile, `POSTGRES_PASSWORD=${PASSWORD}\nBACKUP_SIGNING_KEY=${SIGNING_KEY}\n`, {
    mode: 0o600,
  })
  mkdirSync(join(home.folder, 'exports'))
  writeFileSync(join(home.folder, 'exports', 'anchor.tar.gz'), 'an export')
  await start()
  await sql('create database anchor_1', 'postgres')
  await sql(`create table things (name text);
    create schema business;
    create table business.journal_entries (id uuid primary key, cause text);
    create table business.journal_lines (entry_id uuid, unit text, amount numeric);
    insert into things values ('before');
    insert into business.journal_entries values ('${ENTRY}1', 'deposit');
    insert into business.journal_lines values ('${ENTRY}1', 'asset', 5), ('${ENTRY}1', 'asset', -5)`)
  await archiveWal(postgres.url, options())
  await createBackup(options())
  await sql("insert into things values ('after')")
  between = new Date()
  await sql("insert into things values ('mistake')")
  await archiveWal(postgres.url, options())
})
afterAll(async () => {
  await postgres.stop()
  rmSync(root, { recursive: true })
})

describe('a backup', () => {
  it('is one encrypted file that only its key opens, and shows nothing of what is in it', async () => {
    const file = firstFile()
    expect(readdirSync(folder)).toEqual(['owner.json', 'wal', basename(file)])
    const text = readFileSync(file).toString('latin1')
    expect(text.slice(0, 21)).toBe('age-encryption.org/v1')
    expect(text).not.toContain(PASSWORD)
    const stranger = await createKey()
    await expect(
      verifyBackup(restoring(elsewhere('verified'), { key: { ...key, identities: [stranger.identity] } })),
    ).rejects.toThrow('encrypted for another key')
  })

  it('is verified by restoring it: every row is read, and journals must balance', async () => {
    const state = await verifyBackup(restoring(elsewhere('verified')))
    expect(state.databases).toEqual([{ name: 'anchor_1', tables: 3, rows: 6, journalEntries: 1 }])
    expect(state.settings).toEqual(['MASTER_KEY'])
    expect(existsSync(`${elsewhere('verified').postgres}.verified`)).toBe(false)
  })

  it('for what is no public key fails and leaves nothing', async () => {
    const place = join(root, 'no-key')
    const made = createBackup({ ...options(), store: folderStore(place), lock: { recipients: ['age1x'] } })
    await expect(made).rejects.toThrow()
    expect(readdirSync(place)).toEqual(['owner.json'])
  })

  it('is not called damaged where its reader gives up', async () => {
    const read = readArchive(firstFile(), key, 'backup', signal, async () => {
      throw new Error('It needs 90 MiB free.')
    })
    await expect(read).rejects.toThrow(/^It needs 90 MiB free\.$/)
  })

  it('says for whom the restored stack encrypts its own', async () => {
    const into = elsewhere('with-backups')
    const { isEncryptToSet } = await restoreBackup(restoring(into, { backupTo: '/mnt/more' }))
    expect(isEncryptToSet).toBe(false)
    const text = readFileSync(into.baseEnvFile, 'utf8')
    expect(text).toContain('BACKUP_TO=/mnt/more')
    expect(text).toContain(`BACKUP_ENCRYPT_TO=${lock.recipients[0]}`)
  })

  it('that was cut off or changed is refused', async () => {
    const file = firstFile()
    const bytes = readFileSync(file)
    const damaged = join(root, 'damaged')
    writeFileSync(damaged, bytes)
    truncateSync(damaged, Math.floor(bytes.length / 2))
    const into = elsewhere('damaged-home')
    await expect(verifyBackup(restoring(into, { file: damaged }))).rejects.toThrow('is damaged or cut off')
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(damaged, bytes)
    await expect(restoreBackup(restoring(into, { file: damaged }))).rejects.toThrow('is damaged or cut off')
    expect(existsSync(placeData(into.postgres).folder)).toBe(false)
  })

  it('that someone else made or renamed is refused, and a log that someone else wrote', async () => {
    const forger = createSigningKey()
    const into = elsewhere('forged-home')
    const forged = join(root, 'forged')
    mkdirSync(forged)
    const partial = join(forged, 'partial')
    const fill = async () => join(forged, 'windlass-20260101T000000000Z.tar.gz.age')
    const file = await writeArchive({ partial, subject: 'backup', lock, signingKey: forger, signal }, fill)
    await expect(restoreBackup(restoring(into, { file }))).rejects.toThrow(
      `was not signed by ${key.signers[0]}`,
    )
    const own = firstFile()
    cpSync(own, file)
    await expect(restoreBackup(restoring(into, { file }))).rejects.toThrow('under another name')

    const [cluster = ''] = readdirSync(join(folder, 'wal'))
    const log = join(forged, walFolder(cluster))
    cpSync(join(folder, walFolder(cluster)), log, { recursive: true })
    const renamed = join(forged, own.slice(folder.length + 1))
    renameSync(file, renamed)
    const [first = '', second = ''] = readdirSync(log).sort()
    expect(second).not.toBe('')
    cpSync(join(log, first), join(log, second))
    await expect(restoreBackup(restoring(into, { file: renamed }))).rejects.toThrow('or was changed')
    expect(existsSync(placeData(into.postgres).folder)).toBe(false)
  })

  it('that someone else made writes nothing and takes no memory, whatever it contains', async () => {
    const forger = createSigningKey()
    const forged = join(root, 'bombs')
    const steps: string[] = []
    const made = async (name: string, signingKey: string, fill: (add: Add) => Promise<void>) => {
      const partial = join(forged, 'partial')
      return writeArchive({ partial, subject: 'backup', lock, signingKey, signal }, async add => {
        await fill(add)
        return join(forged, name)
      })
    }
    const manifest = readManifestOf(firstFile())
    const zeros = (size: number) => ({ size, chunks: blocks(size) })
    const into = elsewhere('bombs-home')
    const refused = async (file: string, why: string) => {
      const options = restoring(into, { file, step: (what: string) => void steps.push(what) })
      await expect(verifyBackup(options)).rejects.toThrow(why)
      expect(existsSync(`${placeData(into.postgres).folder}.verified`)).toBe(false)
    }
    const large = await made('large', forger, async add => {
      await add('manifest.json', await manifest)
      await add('data/base/1', zeros(4 * 2 ** 20))
      await add('exports/anchor.tar.gz', zeros(4 * 2 ** 20))
    })
    await refused(large, 'was not signed by')
    expect(steps.some(step => step.startsWith('unpacking'))).toBe(false)
    const header = await made('header', forger, async add => add('x'.repeat(4 * 2 ** 20), Buffer.from('')))
    await refused(header, 'Header exceeds max size')
    const trailing = join(forged, 'preamble')
    writeFileSync(trailing, `age-encryption.org/v1\n${'-> x\n'.repeat(2 ** 18)}`)
    await refused(trailing, 'does not begin as an encrypted file does')
    // Anyone may write this who has the signing key, or a passphrase.
    for (const [path, why] of [
      ['settings/base.env', 'has more than 1 MiB'],
      ['manifest.json', 'has more than 1 MiB'],
      ['settings/other', 'which this release does not know'],
    ] as const) {
      const own = await made('own', SIGNING_KEY, async add => {
        if (path !== 'manifest.json') await add('manifest.json', await manifest)
        await add(path, zeros(2 ** 20 + 1))
      })
      await refused(own, why)
    }
  })

  it('is accepted of the signers that the key’s file names', () => {
    const file = join(root, 'key.txt')
    const [signer = ''] = key.signers
    writeFileSync(file, `# made by age-keygen\n${key.identities[0]}\nsigned-by ${signer}\n`)
    expect(readKeyFile(file)).toEqual(key)
    writeFileSync(file, `${key.identities[0]}\nsigned-by ed25519:short\n`)
    expect(() => readKeyFile(file)).toThrow('is not a public key')
  })

  it('that is interrupted leaves nothing behind but whose the place is', async () => {
    const controller = new AbortController()
    const into = join(root, 'interrupted')
    const made = createBackup({ ...options(), store: folderStore(into), signal: controller.signal })
    controller.abort()
    await expect(made).rejects.toThrow()
    expect(readdirSync(into)).toEqual(['owner.json'])
    const slots = await sql("select 1 from pg_replication_slots where slot_name like 'windlass_backup%'")
    expect(slots).toEqual([])
  })

  it('of a stopped stack starts Postgres meanwhile; a journal that does not balance is refused', async () => {
    await sql(`insert into business.journal_lines values ('${ENTRY}1', 'rail', 1);
      create schema sep;
      create table sep.planted (id int);
      insert into sep.planted values (1);
      create function sep.run(sep.planted) returns text language plpgsql as
        $$ begin raise exception 'a table’s owner runs this as the superuser'; end $$;
      create cast (sep.planted as text) with function sep.run(sep.planted)`)
    await postgres.stop()
    const passphrase = 'correct horse battery'
    const into = join(root, 'stopped')
    const { file } = await createBackup({ ...options(), store: folderStore(into), lock: { passphrase } })
    expect(findRunning(home.postgres)).toBeUndefined()
    await start()
    await sql('drop schema sep cascade')
    const verifying = restoring(elsewhere('of-stopped'), { file, key: { passphrase } })
    await expect(verifyBackup(verifying)).rejects.toThrow(
      'The journal of anchor_1 does not balance: deposit is off by 1 rail',
    )
  })
})

describe('a restore', () => {
  it('brings back the newest state, or that of a time in place of it; what was there is moved aside', async () => {
    const into = elsewhere('restored')
    await restoreBackup(restoring(into))
    expect(readFileSync(join(into.folder, 'exports', 'anchor.tar.gz'), 'utf8')).toBe('an export')
    expect(readdirSync(into.folder).filter(name => name.startsWith('postgres'))).toEqual(['postgres'])
    await usingRestored(into, async () => {
      expect(await names()).toEqual(['after', 'before', 'mistake'])
      const [marked] = await sql("select current_setting('windlass.restored_at')::timestamptz as at")
      expect(marked?.at).toEqual(expect.any(Date))
      expect(readFileSync(into.baseEnvFile, 'utf8')).toBe(readFileSync(home.baseEnvFile, 'utf8'))
    })
    await expect(restoreBackup(restoring(into))).rejects.toThrow('With --replace')
    const { movedTo } = await restoreBackup(restoring(into, { replace: true, at: between }))
    expect(movedTo.map(path => existsSync(path))).toEqual([true, true])
    await usingRestored(into, async () => expect(await names()).toEqual(['after', 'before']))
  })

  it('refuses a time that the backup or its log does not hold', async () => {
    const into = elsewhere('refused')
    const old = new Date('2020-01-01T00:00:00Z')
    await expect(restoreBackup(restoring(into, { at: old }))).rejects.toThrow('Choose an older backup')
    const future = new Date(Date.now() + 60_000)
    await expect(restoreBackup(restoring(into, { at: future }))).rejects.toThrow('The stored log ends before')
    await expect(backupFor(folderStore(folder), old)).rejects.toThrow('The oldest backup in')
    expect(existsSync(placeData(into.postgres).folder)).toBe(false)
  })

  it('refuses to replace databases that are used', async () => {
    await expect(restoreBackup(restoring(home, { replace: true }))).rejects.toThrow('Stop it first')
  })
})

it.runIf(process.getuid?.() === 0)('is given to Postgres’ account without following links', () => {
  const given = join(root, 'given')
  const treasure = join(root, 'treasure')
  mkdirSync(join(given, 'base'), { recursive: true })
  writeFileSync(join(given, 'base', '1'), '')
  writeFileSync(treasure, '')
  symlinkSync(treasure, join(given, 'base', 'link'))
  giveFolder(given, { name: 'postgres', uid: 19_990, gid: 19_990 })
  const uids = ['', 'base', 'base/1'].map(path => statSync(join(given, path)).uid)
  expect([...uids, statSync(treasure).uid]).toEqual([19_990, 19_990, 19_990, 0])
})

it('keeps the newest backups, and the log that they need', async () => {
  const into = join(root, 'pruned')
  const log = join(into, 'wal', '7')
  mkdirSync(log, { recursive: true })
  const ended = ['2026-01-01', '2026-01-02', '2026-01-03'].map(day => new Date(`${day}T00:00:00.000Z`))
  for (const at of ended) writeFileSync(join(into, backupName(at.toISOString())), '')
  for (const [name, day] of [
    ['000000010000000000000001', '2026-01-01'],
    ['000000010000000000000002', '2026-01-03'],
    ['00000002.history', '2026-01-01'],
  ] as const) {
    writeFileSync(join(log, `${name}.tar.gz.age`), '')
    utimesSync(join(log, `${name}.tar.gz.age`), new Date(day), new Date(day))
  }
  await pruneBackups(folderStore(into), 2)
  expect((await listBackups(folderStore(into))).map(({ endedAt }) => endedAt)).toEqual(ended.slice(1))
  await pruneBackups(folderStore(into), 1)
  expect(readdirSync(log).sort()).toEqual([
    '000000010000000000000002.tar.gz.age',
    '00000002.history.tar.gz.age',
  ])
})
