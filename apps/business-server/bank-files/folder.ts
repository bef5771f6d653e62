import { Problem } from '@windlass/service/http/problem.ts'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_STATEMENT_BYTES } from '@windlass/contracts/anchor/bank-files.ts'
import type { Deps } from '../deps.ts'
import { readStatement } from './read-statement.ts'

const MAX_NAME = 200

/**
 * Reads the statements that a bank or an SFTP server puts into `<folder>/<rail>`. A file is read once it is as it was a
 * round before, so not while it is still being written; then it moves to `read` beside it, or to `refused` with the reason.
 */
export function createFolderReader(deps: Deps, folder: string): () => Promise<void> {
  let before = new Map<string, string>()
  return async () => {
    const now = new Map<string, string>()
    const failures: unknown[] = []
    for (const { name: rail, bankAccount } of deps.rails.values()) {
      if (!bankAccount) continue
      await mkdir(join(folder, rail), { recursive: true })
      await using opened = await openFolder(join(folder, rail))
      const { place } = opened
      for (const name of (await readdir(place)).sort()) {
        const path = join(folder, rail, name)
        const found = await lstat(join(place, name))
        if (!found.isFile() || name.startsWith('.') || name.length > MAX_NAME) continue
        const look = `${found.size} ${found.mtimeMs}`
        if (before.get(path) !== look) {
          now.set(path, look)
          continue
        }
        // One file that fails keeps no other one waiting.
        await readFrom(deps, place, name, rail).catch((error: unknown) => {
          deps.logger.error({ err: error, rail, file: name }, 'a statement could not be read')
          now.set(path, look)
          failures.push(error)
        })
      }
    }
    before = now
    if (failures.length > 0) throw failures[0]
  }
}

async function readFrom(deps: Deps, place: string, name: string, rail: string): Promise<void> {
  const reason = await refusalOf(async () => {
    const bytes = await readPlain(join(place, name))
    await readStatement(deps, { rail, fileName: name, bytes, by: 'folder' })
  })
  const path = join(place, reason === null ? 'read' : 'refused')
  await using opened = await openOwnFolder(path)
  const { place: target } = opened
  if (reason !== null) {
    deps.logger.warn({ rail, file: name, reason }, 'a statement was refused')
    await writeAnew(join(target, `${name}.reason.txt`), `${reason}\n`)
  }
  await movePlain(join(place, name), join(target, name))
}

/** Follows no link that has the file's name: it is replaced. */
async function writeAnew(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/** Keeps nothing but a plain file: a link may have taken the file's name since it was read. */
export async function movePlain(from: string, to: string): Promise<void> {
  await rename(from, to)
  if ((await lstat(to)).isFile()) return
  await unlink(to)
  throw new Error(`${from} was no plain file any more when it was moved`)
}

interface OpenFolder extends AsyncDisposable {
  /** A path to what is in it. */
  place: string
}

/**
 * A folder that stays the same one while it is open: a bank's sender may replace what is in its own folder by links to
 * another bank's. Where the system has no path to an open folder, `place` is its name.
 */
async function openFolder(path: string, flags = 0): Promise<OpenFolder & { owner: number }> {
  if (process.platform !== 'linux') {
    const { uid } = await (flags === 0 ? stat(path) : lstat(path))
    return { place: path, owner: uid, [Symbol.asyncDispose]: async () => undefined }
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | flags)
  const { uid } = await handle.stat()
  return { place: `/proc/self/fd/${handle.fd}`, owner: uid, [Symbol.asyncDispose]: () => handle.close() }
}

/** A folder of ours in one that others may write to. Throws for a link, and for a folder that another user made. */
async function openOwnFolder(path: string): Promise<OpenFolder> {
  await mkdir(path, { recursive: true })
  const folder = await openFolder(path, constants.O_NOFOLLOW)
  if (process.getuid === undefined || folder.owner === process.getuid()) return folder
  await folder[Symbol.asyncDispose]()
  throw new Error(`${path} belongs to another user; remove it`)
}

/**
 * Fails for a link, which may have taken the file's place since: it can lead to a file that only this service reads. A
 * second name of another bank's file is refused, and one of more bytes than a statement has, also where it grows meanwhile.
 */
export async function readPlain(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { nlink, size } = await file.stat()
    if (nlink > 1)
      throw new Problem('statement-refused', 'The file has a second name elsewhere. Put a copy here.')
    if (size > MAX_STATEMENT_BYTES) throw tooLarge()
    const parts: Buffer[] = []
    let length = 0
    for await (const part of file.createReadStream({ end: MAX_STATEMENT_BYTES, autoClose: false })) {
      parts.push(part as Buffer)
      length += (part as Buffer).length
    }
    if (length > MAX_STATEMENT_BYTES) throw tooLarge()
    return Buffer.concat(parts)
  } finally {
    await file.close()
  }
}

const tooLarge = () =>
  new Problem('statement-refused', `The file has more than ${MAX_STATEMENT_BYTES} bytes. Split it.`)

/** Why the file is refused; null: it was read, now or before. Other failures are tried again. */
async function refusalOf(read: () => Promise<void>): Promise<string | null> {
  try {
    await read()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.code === 'statement-already-read' ? null : error.message
  }
}
