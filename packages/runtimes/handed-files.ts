import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerSpec } from './runtime.ts'

/** A file of an anchor's folder that its server reads. */
export interface HandedFile {
  /** The variable that names it to the server. */
  variable: string
  /** Within the anchor's folder. */
  path: string
}

/** Those of a server's files that exist: some do only for some anchors, such as rail credentials. */
export async function listHandedFiles({ folder, files }: ServerSpec): Promise<HandedFile[]> {
  const looked = Object.entries(files).map(async ([variable, path]) => {
    const is = await stat(join(folder, path)).catch(() => null)
    return is?.isFile() ? [{ variable, path }] : []
  })
  return (await Promise.all(looked)).flat()
}
