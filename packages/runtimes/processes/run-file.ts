import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
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
}

/** `null` where there is none, or one that cannot be read. */
export async function readRunFile(file: string): Promise<RunFile | null> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as RunFile
    return Number.isInteger(content.pid) && typeof content.startTime === 'string' ? content : null
  } catch {
    return null
  }
}

/** Whole or not at all, readable by us alone. */
export async function writeRunFile(file: string, content: RunFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(unfinished, file)
}

export const removeRunFile = (file: string): Promise<void> => rm(file, { force: true })
