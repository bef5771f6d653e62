import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '@windlass/service/process/write-whole.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'

/** Writes the whole file, or leaves the old one as it is where anything fails. False: the content is the same. */
export async function writeFileWhole(path: string, content: string, mode: number): Promise<boolean> {
  if ((await readFile(path, 'utf8').catch(() => null)) === content) return false
  const folder = dirname(path)
  const unfinished = `${path}.unfinished`
  makePrivateFolder(folder)
  try {
    const file = await open(unfinished, 'w', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  syncFolder(folder)
  return true
}
