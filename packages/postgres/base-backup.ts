import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import {
  HISTORY_NAME,
  numberAt,
  numberOf,
  SEGMENT_NAME,
  segmentAt,
  startOf,
  timelineOf,
} from './log-segments.ts'

/** A file of a data folder as it is backed up; its path uses `/`. */
type BackupEntry =
  | { path: string; folder: true }
  | { path: string; folder: false; size: number; content: AsyncIterable<Buffer> }

/** Where in the write-ahead log a base backup begins and ends. */
export interface BackupRange {
  timeline: number
  startLsn: string
  stopLsn: string
  /** The first segment that a restore needs. It has it, and those up to where the backup ends. */
  firstSegment: string
  /** ISO 8601, by the server's clock: the earliest time that can be restored. */
  endedAt: string
}

/** Contents that belong to the running server, which Postgres makes again (as pg_basebackup leaves them out). */
const EMPTY_FOLDERS = new Set([
  'pg_wal',
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
/**
 * A folder in the data folder for what this copy of the databases knows about its backups. No backup has it, so that a
 * restored copy cannot take itself for the one that was backed up.
 */
export const COPY_FOLDER = 'windlass_backups'
const LEFT_OUT =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init|pgsql_tmp[^/]*|backup_label|backup_manifest|tablespace_map|server\.log|(standby|recovery)\.signal|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp)$/
/** It says how far the log was applied, so it is copied after everything else. */
const CONTROL_FILE = 'global/pg_control'

const CHUNK_BYTES = 256 * 1024

/**
 * Copies the data folder of a running Postgres with SQL's backup functions: all databases as at one moment, while they
 * are used. Files are handed to `write` one after the other, with the part of the write-ahead log that makes them
 * consistent.
 *
 * @throws {Error} when it is aborted, or where a database has a tablespace outside of the folder.
 */
export async function takeBaseBackup(
  { url, dataFolder, label, signal }: { url: string; dataFolder: string; label: string; signal: AbortSignal },
  write: (entry: BackupEntry) => Promise<void>,
): Promise<BackupRange> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    // The slot keeps the log that the backup needs; both end with the session, however it ends.
    await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [
      `windlass_backup_${process.pid}_${Date.now()}`,
    ])
    const startLsn = await one<string>(client, 'SELECT pg_backup_start($1, true)::text AS value', [label])
    await copyFolder(dataFolder, signal, write)
    const stop = await client.query<{ lsn: string; labelfile: string; spcmapfile: string; at: Date }>(
      'SELECT lsn::text, labelfile, spcmapfile, clock_timestamp() AS at FROM pg_backup_stop(false)',
    )
    const { lsn: stopLsn = '', labelfile = '', spcmapfile = '', at = new Date() } = stop.rows[0] ?? {}
    if (spcmapfile.trim() !== '') throw new Error('a database has a tablespace outside of the data folder')
    const [firstSegment, lastSegment] = await Promise.all(
      [startLsn, stopLsn].map(lsn =>
        one<string>(client, 'SELECT pg_walfile_name($1::pg_lsn) AS value', [lsn]),
      ),
    )
    for (const name of await walFiles(dataFolder)) {
      if (name.endsWith('.history') || (name >= firstSegment! && name <= lastSegment!))
        await copyFile(dataFolder, `pg_wal/${name}`, signal, write)
    }
    await write(fileOf('backup_label', Buffer.from(labelfile)))
    const timeline = Number.parseInt(firstSegment!.slice(0, 8), 16)
    return { timeline, startLsn, stopLsn, firstSegment: firstSegment!, endedAt: at.toISOString() }
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Segments of the write-ahead log and the histories of its timelines, in order. */
async function walFiles(dataFolder: string): Promise<string[]> {
  const names = await readdir(join(dataFolder, 'pg_wal'))
  return names.filter(name => SEGMENT_NAME.test(name) || HISTORY_NAME.test(name)).sort()
}

async function copyFolder(
  dataFolder: string,
  signal: AbortSignal,
  write: (entry: BackupEntry) => Promise<void>,
): Promise<void> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true })
  const files: string[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
      .slice(dataFolder.length + 1)
      .replaceAll('\\', '/')
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (path === COPY_FOLDER || above === COPY_FOLDER) continue
    if (LEFT_OUT.test(path) || (EMPTY_FOLDERS.has(above) && !EMPTY_FOLDERS.has(path))) continue
    if ([...EMPTY_FOLDERS].some(folder => path.startsWith(`${folder}/`) && !EMPTY_FOLDERS.has(path))) continue
    if (entry.isDirectory()) await write({ path, folder: true })
    else if (entry.isFile() && path !== CONTROL_FILE) files.push(path)
  }
  for (const path of [...files, CONTROL_FILE]) await copyFile(dataFolder, path, signal, write)
}

/** A file that is gone by now was dropped with its table: the log says so too. */
async function copyFile(
  dataFolder: string,
  path: string,
  signal: AbortSignal,
  write: (entry: BackupEntry) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted()
  const file = join(dataFolder, path)
  const found = await stat(file).catch(() => null)
  if (found === null) return
  await write({ path, folder: false, size: found.size, content: exactly(file, found.size, signal) })
}

/** So many bytes of a file that may become shorter meanwhile: the log puts right what is missing. */
async function* exactly(file: string, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await open(file).catch(() => null)
  let left = size
  try {
    while (handle !== null && left > 0) {
      signal.throwIfAborted()
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - left)
      if (bytesRead === 0) break
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    for (; left > 0; left -= Math.min(CHUNK_BYTES, left)) yield Buffer.alloc(Math.min(CHUNK_BYTES, left))
  } finally {
    await handle?.close()
  }
}

const fileOf = (path: string, bytes: Buffer): BackupEntry => ({
  path,
  folder: false,
  size: bytes.length,
  content: (async function* () {
    yield bytes
  })(),
})

async function one<T>(client: pg.Client, text: string, values: unknown[] = []): Promise<T> {
  const { rows } = await client.query<{ value: T }>(text, values)
  if (rows[0] === undefined) throw new Error('Postgres returned no row')
  return rows[0].value
}

const SLOT = 'windlass_archive'

/** A copy of the databases, as far as Postgres can tell copies apart. */
export interface Cluster {
  /** The same in every copy. */
  systemId: string
  /** A restored copy begins the next one; two that were restored from one backup have the same. */
  timeline: number
}

/** Which cluster a server runs. */
export async function describeCluster(client: pg.Client): Promise<Cluster> {
  const systemId = await one<string>(
    client,
    'SELECT system_identifier::text AS value FROM pg_control_system()',
  )
  return { systemId, timeline: timelineOf(await currentSegment(client)) }
}

/** What {@link completeWal} found. */
interface CompleteWal {
  /** The first segment that is still there for certain, and the last one that no longer changes. */
  first: string
  upTo: string
  /** By the server's clock, ISO 8601: all that was committed before it is in these segments and those before. */
  completeAt: string
  /** Names of these segments, in order, and of timelines' histories. */
  names: string[]
  /** Says that all of them are stored elsewhere, so that Postgres may remove them. */
  release(): Promise<void>
}

/**
 * Completes the current segment of the write-ahead log and lists those that are to be stored. A replication slot makes
 * Postgres keep them until then; without one it may have removed some, so compare `first` with what is stored.
 *
 * @throws {Error} where one of them is not in the data folder
 */
export async function completeWal(client: pg.Client, dataFolder: string): Promise<CompleteWal> {
  const { rows } = await client.query<{ status: string | null; restart: string | null }>(
    'SELECT wal_status AS status, restart_lsn::text AS restart FROM pg_replication_slots WHERE slot_name = $1',
    [SLOT],
  )
  const lost = rows[0] !== undefined && (rows[0].status === 'lost' || rows[0].restart === null)
  if (lost) await client.query('SELECT pg_drop_replication_slot($1)', [SLOT])
  if (lost || rows[0] === undefined)
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [SLOT])
  const at = await one<Date>(client, 'SELECT clock_timestamp() AS value')
  await client.query('SELECT pg_switch_wal()')
  const current = await currentSegment(client)
  const restart = await one<string>(
    client,
    'SELECT restart_lsn::text AS value FROM pg_replication_slots WHERE slot_name = $1',
    [SLOT],
  )
  const timeline = timelineOf(current)
  const [first, end] = [numberAt(restart), numberOf(current)]
  const present = await walFiles(dataFolder)
  const histories = present.filter(name => HISTORY_NAME.test(name))
  const segments = Array.from({ length: Math.max(0, end - first) }, (_, n) => segmentAt(timeline, first + n))
  const missing = segments.find(name => !present.includes(name))
  if (missing) throw new Error(`${missing} of the log is missing in ${join(dataFolder, 'pg_wal')}`)
  const release = async () => {
    await client.query('SELECT pg_replication_slot_advance($1, $2::pg_lsn)', [SLOT, startOf(current)])
  }
  return {
    first: segmentAt(timeline, first),
    upTo: segmentAt(timeline, end - 1),
    completeAt: at.toISOString(),
    names: [...histories, ...segments],
    release,
  }
}

const currentSegment = (client: pg.Client): Promise<string> =>
  one<string>(client, 'SELECT pg_walfile_name(pg_current_wal_insert_lsn() + 1) AS value')

/** Lets Postgres remove its log again where it is no longer archived. */
export async function stopKeepingWal(client: pg.Client): Promise<void> {
  await client.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active',
    [SLOT],
  )
}

/** What a recovery takes from the log. */
interface RecoveryTarget {
  /** What was committed until then; by default all of it. */
  until?: Date | undefined
  /** The timeline to follow; by default the one that the backup was made on, whatever other ones there are. */
  timeline?: number | undefined
  /** `restore_command`: gets a file of the log; by default all that there is is in `pg_wal`. */
  command?: string | undefined
}

/**
 * Settings with which Postgres recovers a base backup beside which `recovery.signal` is. It then starts a new timeline, so
 * that its log never mixes with the older one's.
 */
export function recoverySettings({ until, timeline, command }: RecoveryTarget): Record<string, string> {
  return {
    // Without a command Postgres does not recover.
    restore_command: command ?? (process.platform === 'win32' ? 'cmd /c exit 1' : 'false'),
    recovery_target_timeline: timeline === undefined ? 'current' : String(timeline),
    recovery_target_action: 'promote',
    hot_standby: 'off',
    ...(until
      ? {
          // Postgres reads no Z here.
          recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00'),
        }
      : {}),
  }
}
