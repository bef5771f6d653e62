import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'

/** A file in a store. */
export interface StoredFile {
  /** Below the store, with `/` between folders. */
  name: string
  bytes: number
  storedAt: Date
}

/** Where backups and the log are: a folder, or a bucket (`s3://bucket/folder`). */
export interface Store {
  /** A file, or the store itself, as people name it. */
  pathOf(name?: string): string
  /** Files whose names begin so; with a `/` at the end, also those in folders below. */
  list(prefix: string): Promise<StoredFile[]>
  /** Whether it is there as a whole. */
  has(name: string): Promise<boolean>
  /** Where a file is written before {@link put}. */
  local(name: string): string
  /** Keeps the complete local file: after this it is there as a whole, and before it not at all. */
  put(name: string, signal: AbortSignal): Promise<void>
  /** Hands over a local file with the content. */
  read<T>(name: string, use: (file: string) => Promise<T>): Promise<T>
  remove(name: string): Promise<void>
  /** A small file; undefined: it is not there. */
  readText(name: string): Promise<string | undefined>
  /**
   * Keeps a small file as a whole, in place of the one that is there.
   *
   * @param isNew only where none is there: of several who write at the same time, one does
   * @returns whether it was kept
   */
  writeText(name: string, text: string, isNew?: boolean): Promise<boolean>
}

/** Size of a small file. */
export const MOST_TEXT_BYTES = 64 * 2 ** 10

/** A bucket and how it is reached. */
export interface Bucket {
  bucket: string
  /** `folder/`, or empty. */
  prefix: string
  /** Absent: AWS. */
  endpoint: string | undefined
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

export function folderStore(folder: string): Store {
  const pathOf = (name = ''): string => join(folder, name)
  return {
    pathOf,
    list: async prefix => {
      const at = prefix.endsWith('/') ? prefix.slice(0, -1) : ''
      if (!existsSync(pathOf(at))) return []
      const names = readdirSync(pathOf(at), { recursive: at !== '', encoding: 'utf8' })
      return names
        .map(name => join(at, name))
        .filter(name => name.startsWith(prefix))
        .sort()
        .flatMap(name => {
          const found = statSync(pathOf(name), { throwIfNoEntry: false })
          return found?.isFile() ? [{ name, bytes: found.size, storedAt: found.mtime }] : []
        })
    },
    has: async name => existsSync(pathOf(name)),
    local: name => {
      // Parts of a log have a folder inside of it.
      for (const each of [folder, dirname(pathOf(name))]) makePrivateFolder(each)
      return pathOf(name)
    },
    put: async () => undefined,
    read: (name, use) => use(pathOf(name)),
    remove: async name => rmSync(pathOf(name), { force: true }),
    readText: async name => {
      const found = statSync(pathOf(name), { throwIfNoEntry: false })
      if (!found) return undefined
      if (found.size > MOST_TEXT_BYTES) throw new Error(`${pathOf(name)} is too large.`)
      return readFileSync(pathOf(name), 'utf8')
    },
    writeText: async (name, text, isNew) => {
      makePrivateFolder(folder)
      return writeWhole(pathOf(name), text, isNew)
    },
  }
}
