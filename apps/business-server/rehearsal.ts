import { amountOf } from '@windlass/money/amount.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { rehearsalAnchor, rehearse, rehearseWork } from '@windlass/service/process/rehearse.ts'
import { DEFAULT_MAX_FEE } from '@windlass/stellar/fees.ts'
import { startRehearsalDatabase } from '@windlass/service/process/rehearsal-database.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomBytes } from 'node:crypto'
import { buildApp } from './app.ts'
import { closeDeps, createDeps } from './deps.ts'
import { readRailSettings } from './rails/settings.ts'
import { startWorkers } from './workers.ts'

/** Builds a server for an anchor that nobody has, and answers that it lives. */
export async function rehearseStart(thoroughly = false): Promise<void> {
  const database = thoroughly ? await startRehearsalDatabase() : undefined
  const { publicKey, secret } = generateKey()
  const anchor = rehearsalAnchor(publicKey)
  const deps = createDeps(
    {
      anchor,
      port: 0,
      bindHost: 'localhost',
      databaseUrl: database?.url ?? 'postgres://rehearsal.invalid/rehearsal',
      databaseMayBeNewer: false,
      maxFee: DEFAULT_MAX_FEE,
      historyHorizonUrl: undefined,
      second: { horizonUrl: undefined, rpcUrl: undefined, limit: amountOf(0n) },
      archives: null,
      proofLimit: amountOf(0n),
      clamd: undefined,
      statements: undefined,
      signing: { seed: secret },
      secrets: { service: secret, summary: secret, link: secret, jwt: secret },
      proxySecret: secret,
      detailsKeys: new Map([[1, randomBytes(32)]]),
      bindingKeys: new Map([[1, randomBytes(32)]]),
      rails: readRailSettings({}, { rails: anchor.plan.rails, mainnet: false, fallbackSecret: secret }),
      lists: { urls: new Map(), maxAgeDays: 7, without: 'wait' },
      fx: {},
      local: true,
      mainnet: false,
    },
    createLogger('rehearsal', 'silent'),
  )
  try {
    await rehearse(await buildApp(deps, { metrics: false }), ['/health/live'])
    if (thoroughly) await rehearseWork(startWorkers(deps))
  } finally {
    await closeDeps(deps)
    database?.close()
  }
}
