import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import type { ServerRole } from '../runtime.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** The record of a started server, by which a later process finds it. */
export interface RunFile extends ProcessIdentity {
  name: string
  anchorId: string
  role: ServerRole
  /** Whom it runs as; absent in files of 0.1.0. */
  uid?: number
  port: number
  version: string
  startedAt: string
  command: string[]
  /** Where it was written: a copy of the folder names processes of the original. */
  file?: string
}

const MARK = '--run-file='

/** The word among a process's arguments by which it is found when its run file was never written. */
export const markOf = (runFile: string): string => `${MARK}${runFile}`

/** The run file that such a word names; `undefined` for any other word. */
export const markedFile = (word: string): string | undefined =>
  word.startsWith(MARK) ? word.slice(MARK.length) : undefined

/** `null` when it is missing or unreadable. */
export async function readRunFile(file: string): Promise<RunFile | null> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as RunFile
    if (content.file !== undefined && content.file !== (await realFile(file))) return null
    return Number.isInteger(content.pid) && typeof content.startTime === 'string' ? content : null
  } catch {
    return null
  }
}

/** Written atomically; only the owner can read it. */
export async function writeRunFile(file: string, content: RunFile): Promise<void> {
  makePrivateFolder(dirname(file))
  const unfinished = `${file}.${process.pid}`
  const placed = { ...content, file: await realFile(file) }
  await writeFile(unfinished, `${JSON.stringify(placed, null, 2)}\n`, { mode: 0o600 })
  await rename(unfinished, file)
}

export const removeRunFile = (file: string): Promise<void> => rm(file, { force: true })

/** The same for every path to the folder, symbolic links included. */
async function realFile(file: string): Promise<string> {
  return join(await realpath(dirname(file)), basename(file))
}
