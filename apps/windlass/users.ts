import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '@windlass/service/process/env.ts'
import { firstUnreachable } from '@windlass/runtimes/processes/server-user.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import type { Variables } from './base-env.ts'
import { CHECKOUT, COMPILE_CACHE, type Home, openToUsers } from './home.ts'
import type { Progress } from './progress.ts'
import type { Service } from './services.ts'
import { portOf, type Settings } from './settings.ts'
import { settingOf } from './settings-list.ts'

/** Users of anchors' servers have ids from here on; those of services are below. */
export const FIRST_ANCHOR_USER = 20_000
/** Those above are containers' and directories'. */
export const LAST_ANCHOR_USER = 100_000

/** Ids of services' users by name; a service that is not in it runs as ourselves. */
export type Users = ReadonlyMap<string, number>

/**
 * Started as root on Linux, each service gets a system user of its own (its id is its group's too) and the folders it
 * writes, which an earlier version may have left to root.
 *
 * @throws {ConfigError} in production where such a user could not reach the checkout or the data.
 */
export async function prepareUsers(
  { services, local }: Settings,
  variables: Variables,
  home: Home,
  progress: Progress,
): Promise<Users> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return new Map()
  const withUsers = services.filter(service => service.user !== undefined)
  if (withUsers.length === 0) return new Map()
  openToUsers(home.folder)
  // Servers of anchors are started from the code beside it.
  mkdirSync(COMPILE_CACHE, { recursive: true })
  for (const folder of [dirname(COMPILE_CACHE), COMPILE_CACHE]) openToUsers(folder)
  const barrier = await findBarrier(withUsers, home)
  if (barrier !== null) {
    const why = `started as root, every service gets a user of its own, who cannot read ${barrier}`
    if (!local) throw new ConfigError(`${why}: put the checkout and WINDLASS_HOME where other users can read`)
    progress.warn(`${why}: services run as root`)
    return new Map()
  }
  for (const service of withUsers) {
    requireUnprivilegedPorts(service, variables)
    for (const folder of foldersOf(service, variables, home)) giveFolder(folder, service.user ?? 0)
  }
  return new Map(withUsers.map(({ name, user = 0 }) => [name, user]))
}

async function findBarrier(services: readonly Service[], home: Home): Promise<string | null> {
  const scripts = services.map(({ script }) => resolve(CHECKOUT, script))
  const modules = join(CHECKOUT, 'node_modules')
  for (const path of [realpathSync(process.execPath), ...scripts, modules, home.folder]) {
    const barrier = existsSync(path) ? await firstUnreachable(path, -1) : null
    if (barrier !== null) return barrier
  }
  return null
}

/** The reverse proxy gets its port from the launcher. */
function requireUnprivilegedPorts({ name, title, ports }: Service, variables: Variables): void {
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  for (const [variable, fallback] of ports) {
    if (variable === 'PROXY_PORT' || portOf(variables, variable, fallback) >= Math.min(first, 1024)) continue
    throw new ConfigError(
      `${variable} must be ${first} or more: started by root, the ${title} runs as a user of its own (${name})`,
    )
  }
}

function foldersOf({ name, folders = [] }: Service, variables: Variables, home: Home): string[] {
  const own = folders.map(folder =>
    folder === 'local-network' && variables.LOCAL_NETWORK_HOME
      ? resolve(CHECKOUT, variables.LOCAL_NETWORK_HOME)
      : join(home.folder, folder),
  )
  return [...own, compileCacheOf(name)]
}

/** Compiled code is code: a service that could change another's would run as its user. */
export const compileCacheOf = (service: string): string => join(COMPILE_CACHE, service)

/** Creates the folder, or gives it with all it holds to the user where it is another's. */
function giveFolder(folder: string, user: number): void {
  makePrivateFolder(folder)
  // What is restored from a backup in a folder that was given before is root's.
  const isRoots = (name: string) => lstatSync(join(folder, name)).uid === 0
  if (statSync(folder).uid === user && !readdirSync(folder).some(isRoots)) return
  giveTree(realpathSync(folder), user)
}

/**
 * Changes the owner of a folder and all it holds, by descriptors and without following links: who owns a part of it may
 * put links there meanwhile. The folder itself is last: a start that is interrupted before begins again.
 */
function giveTree(path: string, user: number): void {
  const handle = openPlain(path)
  if (handle === null) return
  try {
    const found = fstatSync(handle)
    // A second name of a file that is somewhere else too.
    if (found.isFile() && found.nlink > 1) return
    const own = `/proc/self/fd/${handle}`
    if (found.isDirectory()) for (const name of readdirSync(own)) giveTree(join(own, name), user)
    fchownSync(handle, user, user)
  } finally {
    closeSync(handle)
  }
}

/** Null: a link, a socket, or gone by now. */
function openPlain(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (['ELOOP', 'ENXIO', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** The variables of a service; a secret's file that its user cannot read is read for it. */
export function readSecretFiles(variables: Variables, user: number): Variables {
  const entries = Object.entries(variables).map(([name, value]) => {
    const setting = settingOf(name)
    const isSecretFile = setting?.secretOf !== undefined && name === `${setting.name}_FILE`
    if (!isSecretFile || !existsSync(value) || canRead(value, user)) return [name, value]
    return [setting.name, variables[setting.name] || readFileSync(value, 'utf8').trim()]
  })
  return Object.fromEntries(entries)
}

function canRead(file: string, user: number): boolean {
  const may = (path: string, bit: number): boolean => {
    const { uid, gid, mode } = statSync(path)
    const shift = uid === user ? 6 : gid === user ? 3 : 0
    return ((mode >> shift) & bit) !== 0
  }
  if (!may(file, 4)) return false
  for (let at = resolve(file, '..'); ; at = resolve(at, '..')) {
    if (!may(at, 1)) return false
    if (at === resolve(at, '..')) return true
  }
}
