import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { areRemoved } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'

const EVERY_MS = 3_600_000

/**
 * Removes the folders of removed anchors from this machine. In a cluster each control plane writes anchors' secrets to
 * its own node, and the removal of an anchor runs on one of them.
 */
export function startFolderRemoval(deps: Deps): Loop {
  const reported = new Set<string>()
  return loop({
    name: 'folders of removed anchors',
    logger: deps.logger,
    everyMs: EVERY_MS,
    act: stopping => removeLeftFolders(deps, reported, stopping),
  })
}

interface Needed extends Pick<Deps, 'database' | 'logger'> {
  config: { anchors: { folder: string } }
}

/**
 * A folder stays until its anchor's removal is complete, and where no anchor has its name, such as after a restore.
 *
 * @param reported names of the latter, each of which is logged once
 */
export async function removeLeftFolders(
  { config, database, logger }: Needed,
  reported: Set<string>,
  stopping: AbortSignal,
): Promise<void> {
  const { folder } = config.anchors
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  const isRemoved = await areRemoved(database.db, names)
  for (const name of names.filter(each => isRemoved.get(each))) {
    if (stopping.aborted) return
    await rm(join(folder, name), { recursive: true, force: true }).then(
      () => logger.info({ anchorId: name }, 'the files of a removed anchor were still here and are removed'),
      (error: unknown) =>
        logger.warn({ err: error, anchorId: name }, 'the files of a removed anchor could not be removed'),
    )
  }
  const unknown = names.filter(name => !isRemoved.has(name) && !reported.has(name))
  if (unknown.length === 0) return
  logger.warn({ folder, unknown }, 'folders that belong to no known anchor stay: remove them yourself')
  for (const name of unknown) reported.add(name)
}
