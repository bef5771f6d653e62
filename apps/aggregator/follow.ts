import { listen, type Heard } from '@windlass/service/postgres/listen.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Deps } from './deps.ts'
import { openHolds } from './quotes/queries.ts'
import { reloadRegistry, reloadEntries } from './registry/load.ts'

type FollowDeps = Pick<Deps, 'config' | 'database' | 'index' | 'policies' | 'clock' | 'logger' | 'feed'>

interface Following {
  stop(): Promise<void>
}

/**
 * Keeps memory current by the database's notifications of other processes' changes. After each reconnection of the
 * listener it reads everything again that it may have missed.
 */
export function followDatabase(deps: FollowDeps): Following {
  const { feed } = deps
  const work = new Serial(deps.logger)
  const changed = new Set<string>()
  const batches = new Set<string>()

  const catchUp = async (): Promise<void> => {
    await reloadRegistry(deps)
    await deps.policies.reload()
    await feed.catchUp()
    for (const hold of await openHolds(deps.database.db, deps.clock.now())) deps.index.hold(hold)
  }
  const hear = (received: Heard): void => {
    if (received === null) return work.add(catchUp)
    const { channel, payload } = received
    if (channel === 'policies') return work.add(() => deps.policies.reload())
    if (channel === 'firm-quotes') return work.add(() => holdQuote(deps, payload))
    if (channel === 'registry')
      return collect(changed, payload, ids => work.add(() => reloadEntries(deps, ids)))
    if (!feed.knows(payload)) collect(batches, payload, ids => work.add(() => feed.read(ids)))
  }
  const channels = ['registry', 'policies', 'firm-quotes', 'health']
  const listener = listen(deps.database.url, channels, hear, deps.logger)
  return {
    stop: async () => {
      await listener.stop()
      await work.finished()
    },
  }
}

async function holdQuote({ database, index, clock }: FollowDeps, quoteId: string): Promise<void> {
  for (const hold of await openHolds(database.db, clock.now(), quoteId)) index.hold(hold)
}

/** Many notifications at once are read in one query; each id once. */
function collect(waiting: Set<string>, id: string, read: (ids: string[]) => void): void {
  const isFirst = waiting.size === 0
  waiting.add(id)
  if (!isFirst) return
  setTimeout(() => {
    const ids = [...waiting]
    waiting.clear()
    read(ids)
  }, 20)
}

/** One after the other, so that an older result never overwrites a newer one. */
class Serial {
  readonly #logger: FastifyBaseLogger
  #last: Promise<void> = Promise.resolve()

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger
  }

  add(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch(error => {
      // The listener's connection fails with the database: its reconnection reads everything again.
      this.#logger.warn({ err: error }, 'a change could not be read')
    })
  }

  finished(): Promise<void> {
    return this.#last
  }
}
