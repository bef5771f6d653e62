import type { ServerSpec } from '@windlass/runtimes/runtime.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import { writeFileWhole } from './write-file.ts'

const OWNER_URL = 'secrets/migration_database_url'

/** Brings the tables at an address to the release of a business server, by its own program. */
export async function runMigrations(
  { config, runtime }: Pick<Deps, 'config' | 'runtime'>,
  spec: ServerSpec,
  url: string,
): Promise<void> {
  const file = join(spec.folder, OWNER_URL)
  makePrivateFolder(spec.folder)
  await writeFileWhole(file, url, 0o600)
  try {
    await runtime.migrate({ ...spec, files: { DATABASE_URL_FILE: OWNER_URL } }, config.work.healthySeconds)
  } finally {
    await rm(file, { force: true })
  }
}
