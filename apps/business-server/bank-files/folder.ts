import { Problem } from '@windlass/service/http/problem.ts'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
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
      const place = join(folder, rail)
      await mkdir(place, { recursive: true })
      for (const name of (await readdir(place)).sort()) {
        const path = join(place, name)
        const found = await lstat(path)
        if (!found.isFile() || name.startsWith('.') || name.length > MAX_NAME) continue
        const look = `${found.size} ${found.mtimeMs}`
        if (before.get(path) !== look) {
          now.set(path, look)
          continue
        }
        // One file that fails keeps no other one waiting.
        await readFrom(deps, place, name, rail, found.size).catch((error: unknown) => {
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

async function readFrom(deps: Deps, place: string, name: string, rail: string, size: number): Promise<void> {
  const reason = await refusalOf(async () => {
    if (size > MAX_STATEMENT_BYTES)
      throw new Problem('statement-refused', `The file has more than ${MAX_STATEMENT_BYTES} bytes. Split it.`)
    const bytes = await readPlain(join(place, name))
    await readStatement(deps, { rail, fileName: name, bytes, by: 'folder' })
  })
  const target = join(place, reason === null ? 'read' : 'refused')
  await mkdir(target, { recursive: true })
  if (reason !== null) {
    deps.logger.warn({ rail, file: name, reason }, 'a statement was refused')
    await writeFile(join(target, `${name}.reason.txt`), `${reason}\n`)
  }
  await rename(join(place, name), join(target, name))
}

/** Fails for a link, which may have taken the file's place since: it can lead to a file that only this service reads. */
export async function readPlain(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

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
