import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type BackupRange,
  completeWal,
  describeCluster,
  stopKeepingWal,
  takeBaseBackup,
} from '@windlass/postgres/base-backup.ts'
import { HISTORY_NAME, numberBefore, numberOf, segmentAt } from '@windlass/postgres/log-segments.ts'
import { findRunning, startPostgres } from '@windlass/postgres/start.ts'
import { createReadStream } from 'node:fs'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { GIVEN_SETTINGS } from '../settings.ts'
import { settingOf } from '../settings-list.ts'
import { type Add, type Lock, type Subject, writeArchive } from './archive.ts'
import { isContinued, type Mark } from './mark.ts'
import { NotOwnPlaceError, notOwn, type Owner, ownershipOf, renewMark, requireOwnPlace } from './owner.ts'
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
  /** Last segment of the log that the backup has; later ones are stored beside it. */
  lastSegment: string
}

/** How a Postgres that `npm start` does not start is backed up. */
export const OWN_POSTGRES_BACKUP =
  'A stack in containers, or with a Postgres of your own, is backed up in another way: docs/guides/backup.md#in-containers'

/**
 * Backs up all databases as they are at one moment, with the settings and anchors' exports. Uses the running Postgres, or
 * starts it meanwhile. A place that is nobody's becomes this stack's.
 *
 * @throws {NotOwnPlaceError} where the place is another stack's
 * @throws {Error} where there is nothing to back up, or the disk is too full. Nothing is left behind then.
 */
export async function createBackup(options: BackupOptions): Promise<CreatedBackup> {
  const { home, store, lock, signal } = options
  const dataFolder = placeData(home.postgres).folder
  if (!existsSync(dataFolder))
    throw new Error(`There are no databases in ${dataFolder} to back up. ${OWN_POSTGRES_BACKUP}`)
  const bytes = sizeOf(dataFolder)
  return withPostgres(options, async url => {
    let range: BackupRange | undefined
    const owner = await ownerAt(url, dataFolder, options)
    const { owner: madeBy } = await requireOwnPlace(owner)
    const manifest = await describe(url, bytes, { ...owner.cluster, owner: madeBy })
    const partial = store.local(`windlass-${process.pid}.partial`)
    requireSpace(dirname(partial), bytes / 4)
    const signingKey = signingKeyOf(options.variables)
    const file = await writeArchive({ partial, subject: 'backup', lock, signingKey, signal }, async add => {
      await add('manifest.json', json(manifest))
      await addSettings(add, options)
      await addExports(add, home)
      const label = `windlass ${manifest.startedAt}`
      range = await takeBaseBackup({ url: withSearchPath(url), dataFolder, label, signal }, async entry => {
        if (entry.folder) await add(`data/${entry.path}`)
        else await add(`data/${entry.path}`, { size: entry.size, chunks: entry.content })
      })
      await add('end.json', json(range))
      return store.local(backupName(range.endedAt))
    })
    const { size } = statSync(file)
    await store.put(basename(file), signal)
    const { endedAt = '', timeline = 0, stopLsn = '' } = range ?? {}
    return {
      file: store.pathOf(basename(file)),
      endedAt,
      bytes: size,
      databases: manifest.databases,
      lastSegment: segmentAt(timeline, numberBefore(stopLsn)),
    }
  })
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

async function describe(
  url: string,
  bytes: number,
  { systemId, owner }: Pick<Mark, 'systemId' | 'owner'>,
): Promise<Manifest> {
  return withClient(url, async client => {
    const { rows } = await client.query<{ version: string; databases: string[] }>(
      `SELECT current_setting('server_version_num') AS version,
         (SELECT array_agg(datname::text ORDER BY datname) FROM pg_database WHERE datallowconn AND NOT datistemplate)
         AS databases`,
    )
    const { version }: { version: string } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
    const [row] = rows
    return {
      format: 'windlass-backup/1',
      version,
      postgres: String(Math.floor(Number(row?.version) / 10_000)),
      systemId,
      owner,
      startedAt: new Date().toISOString(),
      bytes,
      databases: row?.databases ?? [],
    }
  })
}

/** The stack that may write at the place. */
async function ownerAt(
  url: string,
  dataFolder: string,
  { store, variables }: Pick<BackupOptions, 'store' | 'variables'>,
): Promise<Owner> {
  const cluster = await withClient(url, describeCluster)
  return { store, dataFolder, cluster, signingKey: signingKeyOf(variables) }
}

/** The base env file, and settings that come from the environment instead: the databases are unreadable without them. */
async function addSettings(add: Add, { home, variables }: BackupOptions): Promise<void> {
  if (existsSync(home.baseEnvFile)) await add('settings/base.env', readFileSync(home.baseEnvFile))
  const given = variables[GIVEN_SETTINGS]?.split(',') ?? Object.keys(variables)
  const known = Object.entries(variables).filter(
    ([name]) => settingOf(name) !== undefined && given.includes(name),
  )
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

async function withClient<T>(url: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: withSearchPath(url) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface ArchivedWal {
  /** How many files were stored. */
  stored: number
  /** Some were removed before they were stored: what is stored now is of use once there is a new backup. */
  hasGap: boolean
  /** All that was committed before it is stored, ISO 8601. */
  completeAt: string
}

/**
 * Makes a backup where one is needed, and notes it in the place's mark.
 *
 * @returns undefined: none was needed
 * @throws {NotOwnPlaceError} where the place is another stack's
 */
export async function backUpIfDue(
  url: string,
  everyHours: number,
  options: BackupOptions,
): Promise<CreatedBackup | undefined> {
  const { store, home } = options
  const dataFolder = placeData(home.postgres).folder
  const found = await ownershipOf({ store, dataFolder })
  if (found.state !== 'own' && found.state !== 'free') throw notOwn(store, found)
  if (!(await isDue(store, found.state === 'own' ? found.mark : undefined, everyHours, new Date())))
    return undefined
  const created = await createBackup(options)
  const { file, lastSegment } = created
  await renewMark(await ownerAt(url, dataFolder, options), { backup: { name: basename(file), lastSegment } })
  return created
}

/** How often the owner says that it is there, where nothing is stored. */
const RENEW_MS = 60_000

/**
 * Stores what the write-ahead log has gained, so that any time up to now can be restored.
 *
 * @throws {NotOwnPlaceError} where the place is another stack's. Postgres then keeps no log for it, so that the disk does not
 *   fill.
 */
export async function archiveWal(url: string, options: BackupOptions): Promise<ArchivedWal> {
  const dataFolder = placeData(options.home.postgres).folder
  const owner = await ownerAt(url, dataFolder, options)
  return withClient(url, async client => {
    const { log, renewedAt } = await requireOwnPlace(owner).catch(async (error: unknown) => {
      if (error instanceof NotOwnPlaceError && error.isForeign) await stopKeepingWal(client)
      throw error
    })
    const { first, upTo, completeAt, names, release } = await completeWal(client, dataFolder)
    const stored = await storeLog(names, dataFolder, owner, options)
    const isContinued = log !== undefined && numberOf(first) <= numberOf(log.upTo) + 1
    const isRenewalDue = Date.parse(completeAt) - Date.parse(renewedAt) >= RENEW_MS
    if (stored > 0 || !isContinued || isRenewalDue)
      await renewMark(owner, { log: { from: isContinued ? log.from : first, upTo, completeAt } })
    await release()
    return { stored, hasGap: log !== undefined && !isContinued, completeAt }
  })
}

/** How many were stored. */
async function storeLog(
  names: readonly string[],
  dataFolder: string,
  { store, cluster: { systemId } }: Owner,
  options: BackupOptions,
): Promise<number> {
  let stored = 0
  for (const name of names) {
    options.signal.throwIfAborted()
    const file = `${walFolder(systemId)}${name}${WAL_SUFFIX}`
    // Histories never change, and are listed each time.
    if (HISTORY_NAME.test(name) && (await store.has(file))) continue
    await storeSegment(join(dataFolder, 'pg_wal', name), file, logSubject(systemId, name), options)
    stored++
  }
  return stored
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

const HOUR_MS = 3_600_000

/**
 * Whether the newest backup is older than this, or the stored log does not continue it.
 *
 * @param mark undefined: the place is nobody's yet
 */
async function isDue(store: Store, mark: Mark | undefined, everyHours: number, now: Date): Promise<boolean> {
  if (!mark?.backup || !isContinued(mark)) return true
  const newest = (await listBackups(store)).at(-1)
  if (newest === undefined) return true
  const age = now.getTime() - newest.endedAt.getTime()
  // One of the future was made before the clock was set back.
  return age < -HOUR_MS || age >= everyHours * HOUR_MS
}
