import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RuntimeError, type ServerSpec, type ServerUser } from '../runtime.ts'

const isRoot = () => process.getuid?.() === 0

/** Who writes anchors' folders. */
export interface Owner {
  uid: number
  gid: number
}

interface Preparing {
  /** The server's program, or another that its user must be able to run. */
  program: string
  /** Whether it is an error where a user of its own could not reach what it needs. */
  required: boolean
  owner: Owner
}

/**
 * The user that a server runs as; null: as ourselves. Its files become readable by it, by their owner and by nobody else:
 * its own by its user, what both servers of the anchor read by their group. Throws {@link RuntimeError} where `required`
 * and a user of its own could not reach what it needs.
 */
export async function prepareUser(
  spec: ServerSpec,
  { program, required, owner }: Preparing,
): Promise<Pick<ServerUser, 'uid' | 'gid'> | null> {
  const { user, folder, files, role, anchorId } = spec
  if (!user || !isRoot()) return null
  const { uid, gid, shared } = user
  // A second pair has its folder in the anchor's own.
  const nested = basename(dirname(folder)) === anchorId
  const above = nested ? dirname(dirname(folder)) : dirname(folder)
  for (const path of [process.execPath, program, above]) {
    const barrier = await firstUnreachable(path, gid)
    if (barrier === null) continue
    if (!required) return null
    throw new RuntimeError(
      'server-not-started',
      `The ${role} server needs a system user of its own, who cannot read ${barrier}.`,
    )
  }
  const toGroup = { uid: owner.uid, gid, mode: 0o750 }
  const own = nested ? [anchorId, basename(folder)] : [basename(folder)]
  for (const depth of own.keys()) give(above, own.slice(0, depth + 1), toGroup)
  for (const path of new Set(Object.values(files).map(dirname))) {
    give(above, [...own, ...path.split('/')], toGroup)
  }
  for (const path of Object.values(files)) {
    const right = shared.includes(path)
      ? { uid: owner.uid, gid, mode: 0o640 }
      : { uid, gid: owner.gid, mode: owner.gid === 0 ? 0o400 : 0o440 }
    give(above, [...own, ...path.split('/')], right, [0, owner.uid, uid])
  }
  return { uid, gid }
}

/** A file or folder on the way to the path that the group's members may not read or pass; null: there is none. */
export async function firstUnreachable(path: string, group: number): Promise<string | null> {
  const found = await stat(path)
  if (!found.isDirectory() && (found.mode & 0o004) === 0) return path
  for (let at = found.isDirectory() ? path : dirname(path); ; at = dirname(at)) {
    const { mode, gid } = await stat(at)
    if ((mode & 0o001) === 0 && !(gid === group && mode & 0o010)) return at
    if (at === dirname(at)) return null
  }
}

/**
 * Changes owner and mode of what the names lead to below a folder; some files are there only for some anchors. Links
 * are not followed and files must be one of the `owners`': the folder's owner must not get others' files by them. At once:
 * a hundred turns of a busy event loop take longer than all of it.
 */
function give(
  above: string,
  names: readonly string[],
  { uid, gid, mode }: Owner & { mode: number },
  owners?: readonly number[],
): void {
  const opened: number[] = []
  try {
    let at = above
    for (const [index, name] of names.entries()) {
      const isFile = owners !== undefined && index === names.length - 1
      const kind = isFile ? constants.O_NONBLOCK : constants.O_DIRECTORY
      const descriptor = openSync(join(at, name), constants.O_RDONLY | constants.O_NOFOLLOW | kind)
      opened.push(descriptor)
      // By its descriptor: the name may lead elsewhere by now.
      at = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : join(at, name)
    }
    const target = opened.at(-1)
    if (target === undefined) return
    if (owners) demandPlainFile(target, names, owners)
    fchownSync(target, uid, gid)
    fchmodSync(target, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'ENOTDIR') throw notOurs(names, error)
    if (code !== 'ENOENT') throw error
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

function demandPlainFile(file: number, names: readonly string[], owners: readonly number[]): void {
  const found = fstatSync(file)
  if (!found.isFile() || found.nlink !== 1 || !owners.includes(found.uid)) throw notOurs(names)
}

const notOurs = (names: readonly string[], cause?: unknown) =>
  new RuntimeError('server-not-started', `${names.join('/')} is not a file or folder of the anchor's.`, cause)
