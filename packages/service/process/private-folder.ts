import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder that only its owner enters. Folders above it that are missing too get the usual mode: `mkdir` with a
 * mode would close those as well, to everyone who has something else in them.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  // oxlint-disable-next-line open-parents/without-mode -- all above it exist
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}
