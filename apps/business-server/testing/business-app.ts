import { createLogger } from '@windlass/service/observe/logger.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { type Deps, closeDeps, createDeps } from '../deps.ts'
import { migrations } from '../migrations.ts'
import { proveInjected } from './as-platform.ts'
import { developmentConfig } from './development-config.ts'

export interface BusinessApp {
  server: Server
  deps: Deps
  issuer: AccountKey
  distribution: AccountKey
  close(): Promise<void>
}

/** The business server's HTTP side and its parts on a database of its own, with whatever else replaced. No workers run. */
export async function startBusinessApp(
  over: Partial<Deps> = {},
  settings: Partial<Config> = {},
): Promise<BusinessApp> {
  const [issuer, distribution, signing] = [generateKey(), generateKey(), generateKey()]
  const database = await testDatabase(...migrations)
  const keys = { issuer, distribution, signing }
  const config: Config = { ...developmentConfig(database.url, keys), ...settings }
  // However slow the machine is, what is tried in a round is all that is due.
  const given = { retriesWithinMs: 120_000, ...over }
  const deps = createDeps(config, createLogger('business-server', 'silent'), given)
  const server = proveInjected(await buildApp(deps), deps)
  return {
    server,
    deps,
    issuer,
    distribution,
    close: async () => {
      await server.close()
      await closeDeps(deps)
      await database.drop()
    },
  }
}
