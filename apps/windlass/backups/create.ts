import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { completeWal, takeBaseBackup } from '@windlass/postgres/base-backup.ts'
import { findRunning, startPostgres } from '@windlass/postgres/start.ts'
import { createReadStream } from 'node:fs'
import { placeData } from '@windlass/postgres/data-folder.ts'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { settingOf } from '../settings-list.ts'
import { type Add, type Lock, type Subject, writeArchive } from './archive.ts'
import {
  backupName,
  listBackups,
  LOG_MEMBER,
  logSubject,
  type Manifest,
  requireSpace,
  WAL_SUFFIX,
  walFolder,
} from './shelf.ts'
import { signingKeyOf } from './signature.ts'
import type { Store } from './store.ts'

interface BackupOptions {
  home: Home
  /** The base env file's variables under the environment's. */
  variables: Variables
  store: Store
  lock: Lock
  signal: AbortSignal
}

interface CreatedBackup {
  file: string
  /** The time whose state it restores, ISO 8601. */
  endedAt: string
  bytes: number
  databases: string[]
}

/**
 * Backs up all databases as they are at one moment, with the settings and anchors' exports. Uses the running Postgres, or
 * starts it meanwhile.
 *
 * @throws {Error} where there is nothing to back up, or the disk is too full. Nothing is left behind then.
 */
export async function createBackup(options: BackupOptions): Promise<CreatedBackup> {
  const { home, store, lock, signal } = options
  const dataFolder = placeData(home.postgres).folder
  if (!existsSync(dataFolder)) throw new Error(`There are no databases in ${dataFolder} to back up.`)
  const bytes = sizeOf(dataFolder)
  return withPostgres(options, async url => {
    let endedAt = ''
    const manifest = await describe(url, bytes)
    const partial = store.local(`windlass-${process.pid}.partial`)
    requireSpace(dirname(partial), bytes / 4)
    const signingKey = signingKeyOf(options.variables)
    const file = await writeArchive({ partial, subject: 'backup', lock, signingKey, signal }, async add => {
      await add('manifest.json', json(manifest))
      await addSettings(add, options)
      await addExports(add, home)
      const label = `windlass ${manifest.startedAt}`
      const range = await takeBaseBackup({ url, dataFolder, label, signal }, async entry => {
        if (entry.folder) await add(`data/${entry.path}`)
        else await add(`data/${entry.path}`, { size: entry.size, chunks: entry.content })
      })
      await add('end.json', json(range))
      endedAt = range.endedAt
      return store.local(backupName(endedAt))
    })
    const { size } = statSync(file)
    await store.put(basename(file), signal)
    return {
      file: store.pathOf(basename(file)),
      endedAt,
      bytes: size,
      databases: manifest.databases,
    }
  })
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

async function describe(url: string, bytes: number): Promise<Manifest> {
  const client = await connect(url)
  try {
    const { rows } = await client.query<{ id: string; version: string; databases: string[] }>(
      `SELECT system_identifier::text AS id, current_setting('server_version_num') AS version,
         (SELECT array_agg(datname::text ORDER BY datname) FROM pg_database WHERE datallowconn AND NOT datistemplate)
         AS databases FROM pg_control_system()`,
    )
    const { version }: { version: string } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
    const [row] = rows
    return {
      format: 'windlass-backup/1',
      version,
      postgres: String(Math.floor(Number(row?.version) / 10_000)),
      systemId: row?.id ?? '',
      startedAt: new Date().toISOString(),
      bytes,
      databases: row?.databases ?? [],
    }
  } finally {
    await client.end()
  }
}

/** The base env file, and settings that come from the environment instead: the databases are unreadable without them. */
async function addSettings(add: Add, { home, variables }: BackupOptions): Promise<void> {
  if (existsSync(home.baseEnvFile)) await add('settings/base.env', readFileSync(home.baseEnvFile))
  const known = Object.entries(variables).filter(([name]) => settingOf(name) !== undefined)
  const text = known.map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join('')
  await add('settings/effective.env', Buffer.from(text))
}

/** Exports of removed anchors. */
async function addExports(add: Add, home: Home): Promise<void> {
  const folder = join(home.folder, 'exports')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!statSync(file).isFile()) continue
    await add(`exports/${name}`, { size: statSync(file).size, chunks: createReadStream(file) })
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    if (!entry.isFile()) return sum
    return sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

async function withPostgres<T>(
  { home, variables, signal }: BackupOptions,
  act: (url: string) => Promise<T>,
): Promise<T> {
  const superuserPassword = variables.POSTGRES_PASSWORD ?? ''
  const port = findRunning(home.postgres)?.port
  const postgres = await startPostgres({
    dataFolder: home.postgres,
    port: port ?? 0,
    superuserPassword,
    signal,
  })
  try {
    return await act(postgres.url)
  } finally {
    if (!postgres.adopted) await postgres.stop()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

interface ArchivedWal {
  /** How many files were stored. */
  stored: number
  /** Some were removed before they were stored: times after the last backup cannot be restored until the next one. */
  lost: boolean
}

/** Stores what the write-ahead log has gained, so that any time up to now can be restored. */
export async function archiveWal(url: string, options: BackupOptions): Promise<ArchivedWal> {
  const { home, store } = options
  const dataFolder = placeData(home.postgres).folder
  const client = await connect(url)
  try {
    const { systemId, names, release, lost } = await completeWal(client, dataFolder, { finish: true })
    let stored = 0
    for (const name of names) {
      options.signal.throwIfAborted()
      const file = `${walFolder(systemId)}${name}${WAL_SUFFIX}`
      if (await store.has(file)) continue
      await storeSegment(join(dataFolder, 'pg_wal', name), file, logSubject(systemId, name), options)
      stored++
    }
    await release()
    return { stored, lost }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function storeSegment(
  source: string,
  name: string,
  subject: Subject,
  { store, lock, signal, variables }: BackupOptions,
): Promise<void> {
  const signingKey = signingKeyOf(variables)
  const partial = store.local(`${name}.partial`)
  await writeArchive({ partial, subject, lock, signingKey, signal }, async add => {
    await add(LOG_MEMBER, { size: statSync(source).size, chunks: createReadStream(source) })
    return store.local(name)
  })
  await store.put(name, signal)
}

/** Whether the newest backup is older than this. */
export async function isDue(store: Store, everyHours: number, now: Date): Promise<boolean> {
  const newest = (await listBackups(store)).at(-1)
  return newest === undefined || now.getTime() - newest.endedAt.getTime() >= everyHours * 3_600_000
}
