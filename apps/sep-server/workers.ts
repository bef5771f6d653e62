import { loop } from '@windlass/service/work/loop.ts'
import { pruneRates } from '@windlass/service/http/rates.ts'
import { startOutbox } from '@windlass/service/work/outbox.ts'
import { soonThenEvery } from '@windlass/service/work/soon.ts'
import { deliverers } from './callbacks/deliver.ts'
import type { Deps } from './deps.ts'
import { deleteOldCalls } from './anchor-platform/json-rpc.ts'
import { deleteExpiredChallenges } from './sep10/used-challenges.ts'
import { deleteExpiredFiles } from './sep12/files.ts'
import { deleteUnusedQuotes } from './sep38/quotes.ts'
import { forgetOldDetails } from './transactions/details.ts'
import { sealWhenKeysChange } from './sealed-columns.ts'

const CLEANUP_EVERY_MS = 600_000
const SEALING_EVERY_MS = 60_000

/** Most of them wait for a server outside. */
const CALLBACKS_AT_ONCE = 100

/** Everything that runs without a request. */
export function startWorkers(deps: Deps): { stop(): Promise<void> } {
  const { database, logger } = deps
  const outbox = startOutbox({
    database,
    logger,
    sealer: deps.sealer,
    deliver: deliverers(deps),
    atOnce: { 'wallet-callback': CALLBACKS_AT_ONCE, 'customer-callback': CALLBACKS_AT_ONCE },
  })
  const cleanup = loop({
    name: 'cleanup',
    logger,
    everyMs: soonThenEvery(CLEANUP_EVERY_MS),
    startNow: false,
    act: async () => {
      await deleteExpiredChallenges(database.db)
      await deleteExpiredFiles(deps)
      await deleteOldCalls(database.db)
      await deleteUnusedQuotes(database.db)
      await forgetOldDetails(deps)
      await pruneRates(database.pool, deps.clock.now())
    },
  })
  const sealing = loop({
    name: 'sealing',
    logger,
    everyMs: soonThenEvery(SEALING_EVERY_MS),
    startNow: false,
    act: () => sealWhenKeysChange(deps),
  })
  return {
    stop: async () => void (await Promise.all([outbox, cleanup, sealing].map(each => each.stop()))),
  }
}
