import { chmod, chown, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RuntimeError, type ServerSpec, type ServerUser } from '../runtime.ts'

const isRoot = () => process.getuid?.() === 0

/**
 * The user that a server runs as; null: as ourselves. Its files become readable by it and by nobody else but us: its own
 * by its user, what both servers of the anchor read by their group. Throws {@link RuntimeError} where `required` and a
 * user of its own could not reach what it needs.
 */
export async function prepareUser(
  { user, folder, files, role, anchorId }: ServerSpec,
  program: string,
  required: boolean,
): Promise<Pick<ServerUser, 'uid' | 'gid'> | null> {
  if (!user || !isRoot()) return null
  const { uid, gid, shared } = user
  const parent = dirname(folder)
  // A second pair has its folder in the anchor's own.
  if (basename(parent) === anchorId) await give(parent, { uid: 0, gid, mode: 0o750 })
  for (const path of [process.execPath, program, parent]) {
    const barrier = await firstUnreachable(path, gid)
    if (barrier === null) continue
    if (!required) return null
    throw new RuntimeError(
      'server-not-started',
      `The ${role} server needs a system user of its own, who cannot read ${barrier}.`,
    )
  }
  for (const path of new Set(['', ...Object.values(files).map(dirname)])) {
    await give(join(folder, path), { uid: 0, gid, mode: 0o750 })
  }
  for (const path of Object.values(files)) {
    const owner = shared.includes(path) ? { uid: 0, gid, mode: 0o640 } : { uid, gid: 0, mode: 0o400 }
    await give(join(folder, path), owner)
  }
  return { uid, gid }
}

/** A file or folder on the way to the path that the group's members may not read or pass; null: there is none. */
async function firstUnreachable(path: string, group: number): Promise<string | null> {
  const found = await stat(path)
  if (!found.isDirectory() && (found.mode & 0o004) === 0) return path
  for (let at = found.isDirectory() ? path : dirname(path); ; at = dirname(at)) {
    const { mode, gid } = await stat(at)
    if ((mode & 0o001) === 0 && !(gid === group && mode & 0o010)) return at
    if (at === dirname(at)) return null
  }
}

/** Some files are there only for some anchors. */
async function give(path: string, { uid, gid, mode }: { uid: number; gid: number; mode: number }) {
  try {
    await chown(path, uid, gid)
    await chmod(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
