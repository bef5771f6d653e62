import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@windlass/service/process/env.ts'
import type { Home } from './home.ts'
import type { Settings } from './settings.ts'

/** In WINDLASS_HOME since the first start with DEPLOYMENT=production. */
const markOf = ({ folder }: Pick<Home, 'folder'>): string => join(folder, 'production')

/** Whether it was ever started with DEPLOYMENT=production. */
export const isOfProduction = (folder: string): boolean => existsSync(markOf({ folder }))

/**
 * Remembers that a home is production's. A shell in which its settings were not loaded looks like a developer's machine:
 * every part would change to the local network, the mail catcher and the identity check that approves everyone.
 *
 * @throws {ConfigError} where production's home would be started with a developer's settings
 */
export function requireSameDeployment(home: Home, { local }: Pick<Settings, 'local'>): void {
  const mark = markOf(home)
  if (!local) {
    if (!existsSync(mark)) writeFileSync(mark, 'Started with DEPLOYMENT=production.\n')
    return
  }
  if (existsSync(mark))
    throw new ConfigError(
      `${home.folder} belongs to production, and these settings say DEPLOYMENT=local. Nothing was changed. Load its settings first (set -a; . /etc/windlass.env; set +a). To make it a developer's stack on purpose, remove ${mark}.`,
    )
}

/**
 * @throws {ConfigError} where everything that is to be removed is production's, with the keys without which its
 *   databases and backups in containers cannot be read
 */
export function requireNoProduction(home: Home): void {
  const mark = markOf(home)
  if (existsSync(mark))
    throw new ConfigError(
      `${home.folder} belongs to production. With it go keys without which no anchor can pay and no database can be read. Nothing was stopped or removed. See that a backup is elsewhere (docs/guides/backup.md); to remove everything all the same, remove ${mark} first.`,
    )
}
