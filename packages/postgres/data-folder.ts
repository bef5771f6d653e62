import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Account, accountFor, canReach } from './account.ts'
import { type Binaries, SYSTEM_FOLDER } from './binaries.ts'

const run = promisify(execFile)

/** The actual data folder and its owner. */
export interface DataPlace {
  folder: string
  account: Account | undefined
  /** Why the data is not in the requested folder; a sentence for people. */
  moved: string | undefined
}

/**
 * The requested folder or, under root when Postgres' account cannot enter it, a folder below /var/lib/windlass that
 * depends only on the requested path.
 */
export function placeData(wanted: string): DataPlace {
  const folder = resolve(wanted)
  const account = accountFor(folder)
  if (account === undefined || canReach(account, folder)) return { folder, account, moved: undefined }
  const elsewhere = join(SYSTEM_FOLDER, createHash('sha256').update(folder).digest('hex').slice(0, 16))
  return {
    folder: elsewhere,
    account: accountFor(elsewhere),
    moved:
      `Postgres runs as "${account.name}" because it refuses to run as root, and that account cannot enter ` +
      `${dirname(folder)}: the databases are in ${elsewhere}.`,
  }
}

/**
 * Creates the data folder with initdb unless it exists. It appears complete or not at all.
 *
 * @returns whether it was created now.
 * @throws {Error} when the folder was written by another major version of Postgres.
 */
export async function initialiseData(
  place: DataPlace,
  binaries: Binaries,
  superuserPassword: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const versionFile = join(place.folder, 'PG_VERSION')
  if (existsSync(versionFile)) {
    const version = readFileSync(versionFile, 'utf8').trim()
    if (version === binaries.majorVersion) return false
    throw new Error(
      `The databases in ${place.folder} were written by Postgres ${version}, and this is Postgres ` +
        `${binaries.majorVersion}. Start them with the release that wrote them, or remove them: npm stop -- --volumes`,
    )
  }
  removeUnfinished(place.folder)
  const unfinished = `${place.folder}.${randomBytes(4).toString('hex')}`
  const passwordFile = `${unfinished}.password`
  mkdirSync(dirname(place.folder), { recursive: true })
  try {
    mkdirSync(unfinished, { mode: 0o700 })
    writeFileSync(passwordFile, superuserPassword, { mode: 0o600 })
    giveTo(place.account, unfinished, passwordFile)
    await runInitdb(place.account, binaries, unfinished, passwordFile, signal)
    rmSync(place.folder, { recursive: true, force: true })
    renameSync(unfinished, place.folder)
    return true
  } finally {
    rmSync(passwordFile, { force: true })
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Removes what a killed start left while it created the folder, such as the password file. */
function removeUnfinished(folder: string): void {
  const leftover = new RegExp(`^${basename(folder).replace(/[^\\w-]/g, '.')}[.][0-9a-f]{8}([.]password)?$`)
  const above = dirname(folder)
  if (!existsSync(above)) return
  for (const name of readdirSync(above)) {
    if (leftover.test(name)) rmSync(join(above, name), { recursive: true, force: true })
  }
}

function giveTo(account: Account | undefined, ...paths: string[]): void {
  if (account === undefined) return
  for (const path of paths) chownSync(path, account.uid, account.gid)
}

/** The same ordering and letter cases on every machine, whatever locales it has installed. */
const BUILTIN_LOCALE = [['--no-locale'], ['--locale-provider', 'builtin'], ['--builtin-locale', 'C.UTF-8']]

/** Before 17, Postgres takes the same rules from the system. */
const SYSTEM_LOCALE = [['--locale', 'C.UTF-8']]

async function runInitdb(
  account: Account | undefined,
  binaries: Binaries,
  folder: string,
  passwordFile: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = [
    ['--pgdata', folder],
    ['--username', 'postgres'],
    ['--pwfile', passwordFile],
    ['--auth', 'scram-sha-256'],
    ['--encoding', 'UTF8'],
    ...(Number(binaries.majorVersion) >= 17 ? BUILTIN_LOCALE : SYSTEM_LOCALE),
    ['--no-sync'],
    ['--no-instructions'],
  ]
  const environment = { cwd: folder, env: plainEnvironment(), signal }
  const running = run(binaries.initdb, options.flat(), { ...identity(account), ...environment })
  const { child } = running
  const closed = new Promise(resolve => child.once('close', resolve))
  try {
    await running
  } catch (error) {
    // An abort is reported before the process has ended; until then it writes into the folder.
    if (child.pid !== undefined) await closed
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new Error(`Postgres could not set up its data folder: ${output || String(error)}`)
  }
}

/** Options for a child process that runs as the account. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid }
}

/** Postgres gets none of our variables: PG* variables would change its behaviour, and it needs no secrets. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  if (process.platform === 'win32') return { SystemRoot: 'C:\\Windows', LC_ALL: 'C', TZ: 'UTC' }
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}
