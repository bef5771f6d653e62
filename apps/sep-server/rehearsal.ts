import { amountOf } from '@windlass/money/amount.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { rehearsalAnchor, rehearse, rehearseWork } from '@windlass/service/process/rehearse.ts'
import { startRehearsalDatabase } from '@windlass/service/process/rehearsal-database.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomBytes } from 'node:crypto'
import { buildApp } from './app.ts'
import { closeDeps, createDeps } from './deps.ts'
import { startWorkers } from './workers.ts'

/** Answers a wallet's login that nobody asked for, with a key that nobody has: what a wallet that wakes an anchor asks first. */
export async function rehearseLogin(thoroughly = false): Promise<void> {
  const database = thoroughly ? await startRehearsalDatabase() : undefined
  const { publicKey, secret } = generateKey()
  const anchor = rehearsalAnchor(publicKey)
  const deps = createDeps(
    {
      anchor,
      stellarToml: '',
      port: 0,
      bindHost: 'localhost',
      databaseUrl: database?.url ?? 'postgres://rehearsal.invalid/rehearsal',
      databaseMayBeNewer: false,
      signing: { seed: secret },
      jwtSecret: secret,
      detailsKeys: new Map([[1, randomBytes(32)]]),
      linkSecret: secret,
      proxySecret: secret,
      second: { horizonUrl: undefined, rpcUrl: undefined, limit: amountOf(0n) },
      local: true,
    },
    createLogger('rehearsal', 'silent'),
  )
  try {
    const server = await buildApp(deps, { metrics: false })
    await rehearse(server, [
      '/health/live',
      `/auth?account=${publicKey}&home_domain=${anchor.plan.homeDomain}`,
    ])
    if (thoroughly) await rehearseWork(startWorkers(deps))
  } finally {
    await closeDeps(deps)
    database?.close()
  }
}
