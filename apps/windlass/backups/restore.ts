import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { type DataPlace, placeData } from '@windlass/postgres/data-folder.ts'
import { findRunning, stopRunning } from '@windlass/postgres/start.ts'
import { parseEnvFile, rememberInBaseEnv } from '../base-env.ts'
import { type Home, prepareHome } from '../home.ts'
import { checkArchive, type Key, recipientsOf } from './archive.ts'
import type { DatabaseReport } from './inspect.ts'
import { feedFolderOf, feedLog } from './log-feed.ts'
import { type Reached, recover } from './recover.ts'
import type { BackupEnd, Manifest } from './shelf.ts'
import type { Store } from './store.ts'
import { syncFolder, writeWhole } from '@windlass/service/process/write-whole.ts'
import { chooseLog, unpack, unpackLog } from './unpack.ts'

/** Whether Postgres gets the log file by file, by a command of its shell. Elsewhere it lies beside the data from the start. */
const IS_FED = process.platform !== 'win32'

interface RestoreOptions {
  home: Home
  store: Store
  /** Names the backup in the store. */
  name: string
  key: Key
  /** The state to restore; by default the newest that the backup and the log beside it hold. */
  at?: Date
  /** The state at the end of the backup itself, whatever the log beside it has. */
  isLogIgnored?: boolean
  /** The timeline to follow, where an earlier release stored several. */
  timeline?: number
  signal: AbortSignal
  /** Reports what is being done. */
  step(what: string): void
}

export interface RestoredState {
  manifest: Manifest
  end: BackupEnd
  databases: DatabaseReport[]
  reached: Reached
  /** Names of settings that were effective and are not in the base env file. */
  settings: string[]
  /** Where the stack of the backup stored its backups. */
  backupTo: string | undefined
  /** Whether its settings said for whom its backups are encrypted. */
  isEncryptToSet: boolean
}

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
 * @param backupTo where the restored stack stores its backups
 * @returns where they were moved
 * @throws {Error} before anything is replaced, where the backup is not sound.
 */
export async function restoreBackup(
  options: RestoreOptions & { replace: boolean; backupTo?: string },
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
    const baseEnv = `${home.baseEnvFile}.restored`
    const text = files.get('settings/base.env')?.toString()
    if (text !== undefined) {
      writeWhole(baseEnv, text)
      if (options.backupTo) rememberInBaseEnv(baseEnv, 'BACKUP_TO', options.backupTo, BACKUP_TO_WHY)
      if (options.backupTo && !state.isEncryptToSet && 'identities' in options.key)
        rememberInBaseEnv(
          baseEnv,
          'BACKUP_ENCRYPT_TO',
          (await recipientsOf(options.key.identities)).join(','),
          'The key that opened the backup from which this stack was restored.',
        )
    }
    const movedTo = [place.folder, home.baseEnvFile].flatMap(path => moveAside(path, stamp))
    // Databases never stand there without their keys, wherever this ends.
    if (text !== undefined) renameSync(baseEnv, home.baseEnvFile)
    syncFolder(home.folder)
    renameSync(folder, place.folder)
    syncFolder(dirname(place.folder))
    placeExports(home, `${folder}.exports`)
    return { ...state, movedTo }
  } finally {
    await removeRecovered(folder)
  }
}

const BACKUP_TO_WHY = 'Named when this stack was restored: the place above is that of the stack before.'

function moveAside(path: string, stamp: string): string[] {
  if (!existsSync(path)) return []
  const aside = `${path}.before-${stamp}`
  renameSync(path, aside)
  return [aside]
}

/** Places the exports of removed anchors; those that are there stay. */
function placeExports(home: Home, unpacked: string): void {
  if (!existsSync(unpacked)) return
  const folder = join(home.folder, 'exports')
  makePrivateFolder(folder)
  for (const name of readdirSync(unpacked))
    if (!existsSync(join(folder, name))) copyFileSync(join(unpacked, name), join(folder, name))
}

async function removeRecovered(folder: string): Promise<void> {
  for (const beside of [`${folder}.exports`, feedFolderOf(folder)])
    rmSync(beside, { recursive: true, force: true })
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
  mkdirSync(dirname(folder), { recursive: true })
  if (placeData(folder).folder !== folder)
    throw new Error(`The account that Postgres runs as cannot enter ${dirname(folder)}.`)
  const unpacked = await store.read(name, async read => {
    if ('identities' in key) {
      step(`checking who made ${file}`)
      await checkArchive(read, key, 'backup', signal)
    }
    step(`unpacking ${file}`)
    return unpack(read, key, place, signal)
  })
  const { manifest, end, files } = unpacked
  if (at && at < new Date(end.endedAt))
    throw new Error(`${file} can restore ${end.endedAt} and later. Choose an older backup.`)
  const plan = options.isLogIgnored ? undefined : await chooseLog(unpacked, options)
  if (plan) await unpackLog(folder, manifest, IS_FED ? { ...plan, segments: [] } : plan, options)
  writeFileSync(join(folder, 'recovery.signal'), '', { mode: 0o600 })
  giveFolder(folder, place.account)
  const settings = parseEnvFile(String(files.get('settings/effective.env') ?? ''), 'effective.env')
  step(at ? `recovering the state of ${at.toISOString()}` : 'recovering')
  const feed = plan && IS_FED ? feedLog(folder, place.account, manifest.systemId, plan, options) : undefined
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(async () => feed?.stop())
  const { databases, reached } = await recover({
    ...{ dataFolder: folder, superuserPassword: settings.POSTGRES_PASSWORD ?? '' },
    ...{ end, plan, feed, at, signal, step },
  })
  const baseEnv = parseEnvFile(String(files.get('settings/base.env') ?? ''), 'base.env')
  const elsewhere = Object.keys(settings).filter(name => baseEnv[name] !== settings[name])
  return {
    state: {
      ...{ manifest, end, databases, reached, settings: elsewhere, backupTo: settings.BACKUP_TO },
      isEncryptToSet: Boolean(settings.BACKUP_ENCRYPT_TO),
    },
    files,
  }
}

/** From the inside out: until all is given, only root can put a link there. */
export function giveFolder(folder: string, account: DataPlace['account']): void {
  chmodSync(folder, 0o700)
  if (account === undefined) return
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).reverse()
  for (const path of [...paths, '']) lchownSync(join(folder, path), account.uid, account.gid)
}
