import { listActivity } from '@windlass/contracts/proxy-routes.ts'
import { loop, type Loop } from '@windlass/service/loop.ts'
import { alone } from '../alone.ts'
import { hostOf } from '../anchors/addresses.ts'
import { listAsleep, listRunning } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { createLedgerWatch } from './ledger-watch.ts'
import { fallAsleep, wake } from './suspend.ts'

const AT_ONCE = 4
const STOP_WITHIN_MS = 3_000

/**
 * Lets anchors fall asleep that nobody uses, and wakes those that have something to do: rows that are due, or a payment on
 * the ledger. Of several control planes one does it.
 */
export function startSleep(deps: Deps): Loop {
  const { work } = deps.config
  const findChanged = createLedgerWatch(deps)
  const round = async (): Promise<void> => {
    const asleep = await listAsleep(deps.database.db)
    const ledger = asleep.length === 0 ? null : await findChanged()
    await each(asleep, async ({ id, due, balances, account }) => {
      const off = work.sleepAfterSeconds === 0
      if (off || due || (ledger?.mayHaveChanged(account) && (await ledger.differs(account, balances))))
        await wake(deps, id)
    })
    if (work.sleepAfterSeconds > 0) await each(await listUnused(deps), id => fallAsleep(deps, id))
  }
  const each = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> => {
    const queue = [...items]
    const worker = async (): Promise<void> => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift())
        await act(item).catch((error: unknown) =>
          deps.logger.warn({ err: error }, 'an anchor could not fall asleep or wake'),
        )
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }
  return loop({
    name: 'sleep',
    logger: deps.logger,
    everyMs: work.reconcileSeconds * 1_000,
    stopWithinMs: STOP_WITHIN_MS,
    act: () => alone(deps, { of: 'sleeping' }, round),
  })
}

/** Running anchors without a request for long enough. */
async function listUnused(deps: Deps): Promise<string[]> {
  const { sleepAfterSeconds, alwaysOn } = deps.config.work
  const signal = AbortSignal.timeout(5_000)
  const copies = await deps.proxies.all(proxy => proxy.call(listActivity, { signal }))
  const known = new Set(copies.flat().map(({ host }) => host))
  const used = new Set(
    copies
      .flat()
      .filter(({ underWay, quietMs }) => underWay > 0 || quietMs < sleepAfterSeconds * 1_000)
      .map(({ host }) => host),
  )
  const isQuiet = (host: string) => known.has(host) && !used.has(host)
  const running = await listRunning(deps.database.db)
  return running
    .filter(({ plan }) => isQuiet(hostOf(plan)) && !alwaysOn.includes(plan.subdomain))
    .map(({ id }) => id)
}
