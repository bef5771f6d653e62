import { loop } from '@windlass/service/loop.ts'
import { pruneRates } from '@windlass/service/rates.ts'
import { startOutbox } from '@windlass/service/outbox.ts'
import { deliverers } from './callbacks/deliver.ts'
import type { Deps } from './deps.ts'
import { deleteOldCalls } from './platform-api/json-rpc.ts'
import { deleteExpiredChallenges } from './sep10/used-challenges.ts'
import { deleteExpiredFiles } from './sep12/files.ts'
import { deleteUnusedQuotes } from './sep38/quotes.ts'
import { sealUnderNewestKey } from './transactions/details.ts'

const CLEANUP_EVERY_MS = 600_000
/** A server that was just woken answers those who wait for it first, and may be stopped a minute later. */
const FIRST_CLEANUP_MS = 10_000
/** Until then a server of an earlier release may still read what it wrote. */
const SEALING_EVERY_MS = 600_000

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
  let isFirst = true
  const cleanup = loop({
    name: 'cleanup',
    logger,
    everyMs: () => (isFirst ? FIRST_CLEANUP_MS : CLEANUP_EVERY_MS),
    startNow: false,
    act: async () => {
      isFirst = false
      await deleteExpiredChallenges(database.db)
      await deleteExpiredFiles(database.db)
      await deleteOldCalls(database.db)
      await deleteUnusedQuotes(database.db)
      await pruneRates(database.pool, deps.clock.now())
    },
  })
  const sealing = loop({
    name: 'sealing',
    logger,
    everyMs: SEALING_EVERY_MS,
    startNow: false,
    act: () => sealUnderNewestKey(deps),
  })
  return {
    stop: async () => void (await Promise.all([outbox, cleanup, sealing].map(each => each.stop()))),
  }
}
