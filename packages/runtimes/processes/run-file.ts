import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ServerRole } from '../runtime.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** What is recorded of a server that was started, so that a later process finds it again. */
export interface RunFile extends ProcessIdentity {
  name: string
  anchorId: string
  role: ServerRole
  port: number
  version: string
  startedAt: string
  command: string[]
  /** Where it was written: in a copy of the folder it names processes of the original, which are not ours. */
  file?: string
}

const MARK = '--run-file='

/** The word among a process's arguments by which it is found when its run file was never written. */
export const markOf = (runFile: string): string => `${MARK}${runFile}`

/** The run file that such a word names; `undefined` for any other word. */
export const markedFile = (word: string): string | undefined =>
  word.startsWith(MARK) ? word.slice(MARK.length) : undefined

/** `null` where there is none, or one that cannot be read. */
export async function readRunFile(file: string): Promise<RunFile | null> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as RunFile
    if (content.file !== undefined && content.file !== (await realFile(file))) return null
    return Number.isInteger(content.pid) && typeof content.startTime === 'string' ? content : null
  } catch {
    return null
  }
}

/** Whole or not at all, readable by us alone. */
export async function writeRunFile(file: string, content: RunFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  const placed = { ...content, file: await realFile(file) }
  await writeFile(unfinished, `${JSON.stringify(placed, null, 2)}\n`, { mode: 0o600 })
  await rename(unfinished, file)
}

export const removeRunFile = (file: string): Promise<void> => rm(file, { force: true })

/** The same for every way to the folder, symbolic links included. */
async function realFile(file: string): Promise<string> {
  return join(await realpath(dirname(file)), basename(file))
}
