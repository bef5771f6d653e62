import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { runRemoval } from '../removal/remove.ts'
import { alone } from './alone.ts'
import { runUpgrade } from './upgrade.ts'

/** What takes longer than a look of the reconciler: upgrades and removals. */
export interface Changes {
  /** Looks now instead of at the next tick. */
  wake(): void
  stop(): Promise<void>
}

const AT_ONCE = 2
const STOP_WITHIN_MS = 3_000

/** Goes on with every change that is not finished, a few at once; of several control planes one is at each. */
export function startChanges(deps: Deps): Changes {
  const stopping = new AbortController()
  const underWay = new Map<string, Promise<void>>()

  const begin = (change: Change): void => {
    const { id, run } = change
    const work = alone(deps, { of: 'change', id }, () => run(deps, id, stopping.signal))
      .catch(error => deps.logger.warn({ err: error, change: id }, 'a change waits for its next try'))
      .then(() => void underWay.delete(id))
    underWay.set(id, work)
  }
  const look = async (): Promise<void> => {
    for (const change of await unfinished(deps)) {
      if (underWay.size >= AT_ONCE || stopping.signal.aborted) return
      if (!underWay.has(change.id)) begin(change)
    }
  }
  const wake = (): void => {
    look().catch(error => deps.logger.warn({ err: error }, 'could not look for changes'))
  }
  const timer = setInterval(wake, deps.config.work.reconcileSeconds * 1_000)
  wake()
  return {
    wake,
    stop: async () => {
      clearInterval(timer)
      stopping.abort(new Error('stopping'))
      // What it is at can be left at any point: the next life looks again.
      const all = Promise.allSettled(underWay.values())
      await Promise.race([all, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

interface Change {
  id: string
  run(deps: Deps, id: string, signal: AbortSignal): Promise<void>
}

async function unfinished({ database: { db } }: Deps): Promise<Change[]> {
  const open = (table: 'upgrades' | 'removals') =>
    db.selectFrom(table).select('id').where('finished_at', 'is', null).orderBy('created_at').limit(100)
  const [removals, upgrades] = [await open('removals').execute(), await open('upgrades').execute()]
  return [
    ...removals.map(({ id }) => ({ id, run: runRemoval })),
    ...upgrades.map(({ id }) => ({ id, run: runUpgrade })),
  ]
}
