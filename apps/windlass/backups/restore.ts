import {
  chmodSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { recoverySettings } from '@windlass/postgres/base-backup.ts'
import { prepareBinaries } from '@windlass/postgres/binaries.ts'
import { type DataPlace, placeData } from '@windlass/postgres/data-folder.ts'
import { findRunning, startPostgres, stopRunning } from '@windlass/postgres/start.ts'
import { parseEnvFile } from '../base-env.ts'
import { type Home, prepareHome } from '../home.ts'
import { checkArchive, type Key, type Member, readArchive, readSmall, RefusedError } from './archive.ts'
import { type DatabaseReport, inspectDatabases, markRestored } from './inspect.ts'
import {
  type BackupEnd,
  LOG_MEMBER,
  logSubject,
  type Manifest,
  requireOwnName,
  requireSpace,
  WAL_SUFFIX,
  walFolder,
} from './shelf.ts'
import type { Store } from './store.ts'

interface RestoreOptions {
  home: Home
  store: Store
  /** Of the backup in the store. */
  name: string
  key: Key
  /** The state to restore; by default the newest that the backup and the log beside it hold. */
  at?: Date
  /** The state at the end of the backup itself, whatever the log beside it has. */
  isLogIgnored?: boolean
  signal: AbortSignal
  /** Reports what is being done. */
  step(what: string): void
}

export interface RestoredState {
  manifest: Manifest
  end: BackupEnd
  databases: DatabaseReport[]
  /** Of settings that were effective and are not in the base env file. */
  settings: string[]
}

/** What is read into memory. */
const SMALL: ReadonlySet<string> = new Set(['settings/base.env', 'settings/effective.env', 'end.json'])
/** Names in a store are anyone's who can write there. */
const LOG_NAME = /^([0-9A-F]{24}|[0-9A-F]{8}\.history)$/
const RECOVERY_TIMEOUT_MS = 30 * 60 * 1000
/** The log that was written since the backup is unpacked beside it. */
const SEGMENT_BYTES = 16 * 2 ** 20

/**
 * Restores a backup into a folder beside the databases, checks it, and removes it again.
 *
 * @throws {Error} naming what is wrong.
 */
export async function verifyBackup(options: RestoreOptions): Promise<RestoredState> {
  const folder = `${placeData(options.home.postgres).folder}.verified`
  try {
    return (await recoverInto(folder, options)).state
  } finally {
    await removeRecovered(folder)
  }
}

/**
 * Replaces the databases with those of a backup. Existing ones are moved aside, never removed. The stack must not run.
 *
 * @param replace whether to move existing databases aside
 * @returns where they were moved
 * @throws {Error} before anything is replaced, where the backup is not sound.
 */
export async function restoreBackup(
  options: RestoreOptions & { replace: boolean },
): Promise<RestoredState & { movedTo: string[] }> {
  const { home, step } = options
  const place = placeData(home.postgres)
  if (findRunning(home.postgres)) throw new Error('The stack is running. Stop it first: npm stop')
  if (existsSync(place.folder) && !options.replace) {
    throw new Error(
      `There are databases in ${place.folder}. With --replace the restore moves them aside first.`,
    )
  }
  const folder = `${place.folder}.restored`
  prepareHome(home)
  try {
    const { state, files } = await recoverInto(folder, options)
    step('putting the databases in place')
    const stamp = new Date().toISOString().replaceAll(/[-:.]/g, '')
    const movedTo = [place.folder, home.baseEnvFile].flatMap(path => moveAside(path, stamp))
    renameSync(folder, place.folder)
    const baseEnv = files.get('settings/base.env')
    if (baseEnv) writeFileSync(home.baseEnvFile, baseEnv, { mode: 0o600 })
    placeExports(home, `${folder}.exports`)
    return { ...state, movedTo }
  } finally {
    await removeRecovered(folder)
  }
}

function moveAside(path: string, stamp: string): string[] {
  if (!existsSync(path)) return []
  const aside = `${path}.before-${stamp}`
  renameSync(path, aside)
  return [aside]
}

/** Of removed anchors; those that are there stay. */
function placeExports(home: Home, unpacked: string): void {
  if (!existsSync(unpacked)) return
  const folder = join(home.folder, 'exports')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(unpacked))
    if (!existsSync(join(folder, name))) copyFileSync(join(unpacked, name), join(folder, name))
}

async function removeRecovered(folder: string): Promise<void> {
  rmSync(`${folder}.exports`, { recursive: true, force: true })
  if (!existsSync(folder)) return
  await stopRunning(folder)
  rmSync(folder, { recursive: true, force: true })
}

/** A sound data folder in the state asked for, and the other files of the backup. */
async function recoverInto(
  folder: string,
  options: RestoreOptions,
): Promise<{ state: RestoredState; files: Map<string, Buffer> }> {
  const { store, name, key, at, signal, step } = options
  const file = store.pathOf(name)
  const place = { ...placeData(options.home.postgres), folder }
  await removeRecovered(folder)
  // Postgres' account passes it.
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 })
  if (placeData(folder).folder !== folder)
    throw new Error(`The account that Postgres runs as cannot enter ${dirname(folder)}.`)
  const { manifest, end, files } = await store.read(name, async read => {
    if ('identities' in key) {
      step(`checking who made ${file}`)
      await checkArchive(read, key, 'backup', signal)
    }
    step(`unpacking ${file}`)
    return unpack(read, key, place, signal)
  })
  if (at && at < new Date(end.endedAt))
    throw new Error(`${file} can restore ${end.endedAt} and later. Choose an older backup.`)
  const segments = options.isLogIgnored ? 0 : await unpackLog({ ...manifest, ...end }, folder, options)
  if (at && segments === 0)
    throw new Error(
      `There is no log in ${store.pathOf(walFolder(manifest.systemId))}: without it only the state of ${end.endedAt} can be restored.`,
    )
  writeFileSync(join(folder, 'recovery.signal'), '', { mode: 0o600 })
  giveFolder(folder, place.account)
  const settings = parseEnvFile(String(files.get('settings/effective.env') ?? ''), 'effective.env')
  step(at ? `recovering the state of ${at.toISOString()}` : 'recovering')
  const databases = await recover(folder, settings.POSTGRES_PASSWORD ?? '', options)
  const baseEnv = parseEnvFile(String(files.get('settings/base.env') ?? ''), 'base.env')
  const elsewhere = Object.keys(settings).filter(name => baseEnv[name] !== settings[name])
  return { state: { manifest, end, databases, settings: elsewhere }, files }
}

async function unpack(
  file: string,
  key: Key,
  { folder, account }: DataPlace,
  signal: AbortSignal,
): Promise<{ manifest: Manifest; end: BackupEnd; files: Map<string, Buffer> }> {
  const files = new Map<string, Buffer>()
  let manifest: Manifest | undefined
  await readArchive(file, key, 'backup', signal, async member => {
    if (member.path === 'manifest.json') {
      manifest = readManifest(await readSmall(member))
      const { majorVersion } = prepareBinaries(account, folder)
      if (manifest.postgres !== majorVersion)
        throw new RefusedError(
          `${file} needs Postgres ${manifest.postgres}; this release has ${majorVersion}.`,
        )
      requireSpace(folder, manifest.bytes)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } else if (manifest === undefined) throw new RefusedError(`${file} is not a Windlass backup.`)
    else if (member.path.startsWith('data/')) await placeMember(folder, member, 'data/')
    else if (member.path.startsWith('exports/')) await placeMember(`${folder}.exports`, member, 'exports/')
    else if (SMALL.has(member.path)) files.set(member.path, await readSmall(member))
    else throw new RefusedError(`${file} contains ${member.path}, which this release does not know.`)
  })
  const end = files.get('end.json')
  if (manifest === undefined || end === undefined) throw new Error(`${file} is incomplete.`)
  const range = JSON.parse(end.toString()) as BackupEnd
  requireOwnName(file, range.endedAt)
  return { manifest, end: range, files }
}

function readManifest(bytes: Buffer): Manifest {
  const manifest = JSON.parse(bytes.toString()) as Manifest
  if (manifest.format === 'windlass-backup/1') return manifest
  throw new RefusedError(
    `The backup has the format ${String(manifest.format)}, which this release cannot read.`,
  )
}

async function placeMember(
  folder: string,
  { path, folder: isFolder, content }: Member,
  prefix: string,
): Promise<void> {
  const target = resolve(folder, path.slice(prefix.length))
  if (target !== folder && !target.startsWith(folder + sep))
    throw new RefusedError(`The backup contains a file outside of its folder: ${path}.`)
  if (isFolder) return void mkdirSync(target, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  await pipeline(content, createWriteStream(target, { mode: 0o600 }))
}

/** How many files of the stored log were added. */
async function unpackLog(
  { systemId, firstSegment }: Pick<Manifest, 'systemId'> & Pick<BackupEnd, 'firstSegment'>,
  folder: string,
  { store, key, signal }: RestoreOptions,
): Promise<number> {
  const log = walFolder(systemId)
  const names = (await store.list(log))
    .filter(({ name }) => name.endsWith(WAL_SUFFIX))
    .map(({ name }) => name.slice(log.length, -WAL_SUFFIX.length))
    .filter(name => LOG_NAME.test(name))
    // Of later timelines too, whose names begin with their number.
    .filter(name => name.endsWith('.history') || name.slice(8) >= firstSegment.slice(8))
  requireSpace(folder, names.length * SEGMENT_BYTES)
  for (const name of names) {
    signal.throwIfAborted()
    const target = join(folder, 'pg_wal', name)
    const place = async ({ path, size, content }: Member) => {
      if (path !== LOG_MEMBER || size > SEGMENT_BYTES)
        throw new RefusedError(`${name} is not a file of a write-ahead log.`)
      await pipeline(content, createWriteStream(target, { mode: 0o600 }), { signal })
    }
    const subject = logSubject(systemId, name)
    await store.read(`${log}${name}${WAL_SUFFIX}`, file => readArchive(file, key, subject, signal, place))
  }
  return names.filter(name => !name.endsWith('.history')).length
}

/** From the inside out: until all is given, only root can put a link there. */
export function giveFolder(folder: string, account: DataPlace['account']): void {
  chmodSync(folder, 0o700)
  if (account === undefined) return
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).reverse()
  for (const path of [...paths, '']) lchownSync(join(folder, path), account.uid, account.gid)
}

async function recover(
  dataFolder: string,
  superuserPassword: string,
  { at, signal, step }: RestoreOptions,
): Promise<DatabaseReport[]> {
  const logFile = `${dataFolder}.log`
  try {
    const postgres = await startPostgres({
      dataFolder,
      port: 0,
      superuserPassword,
      settings: { ...recoverySettings(at), max_connections: 500 },
      logFile,
      startTimeout: RECOVERY_TIMEOUT_MS,
      signal,
    })
    step('reading every row')
    const reports = await inspectDatabases(postgres.url)
    await markRestored(postgres.url, new Date())
    await postgres.stop()
    return reports
  } catch (error) {
    throw explained(error, at)
  } finally {
    rmSync(logFile, { force: true })
  }
}

function explained(error: unknown, at: Date | undefined): unknown {
  const message = error instanceof Error ? error.message : ''
  if (/recovery ended before configured recovery target was reached/.test(message))
    return new Error(
      `The stored log ends before ${at?.toISOString()}. Choose an earlier time, or none for the newest.`,
    )
  return error
}
