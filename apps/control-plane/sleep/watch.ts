import { listActivity } from '@windlass/contracts/internal/proxy-routes.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { alone } from '../alone.ts'
import { hostOf } from '../anchors/addresses.ts'
import { countAwake, listAsleep, listRunning, setWakeTime } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { createLedgerWatch } from './ledger-watch.ts'
import { fallAsleep, wake } from './suspend.ts'

const AT_ONCE = 4
const STOP_WITHIN_MS = 3_000
/** Share of the anchors that may be awake; beyond it they sleep sooner. */
const CROWDED = 0.75
/** A customer may have paused. */
const CROWDED_MS = 30_000

/**
 * Lets anchors fall asleep that nobody uses, and wakes those that have something to do: rows that are due, or a payment on
 * the ledger. Of several control planes one does it.
 */
export function startSleep(deps: Deps): Loop {
  const { db } = deps.database
  const { sleepAfterSeconds, alwaysOn } = deps.config.work
  const findChanged = createLedgerWatch(deps)
  const round = async (): Promise<void> => {
    // First, for it makes room for those that wake.
    if (sleepAfterSeconds > 0) await each(await unusedIfKnown(), id => fallAsleep(deps, id))
    const asleep = await listAsleep(db)
    const ledger = asleep.length === 0 ? null : await findChanged()
    const paid = asleep.filter(({ due, account }) => !due && ledger?.mayHaveChanged(account))
    // A row, so that it stays due until there is room.
    await each(paid, async anchor => {
      if (!(await ledger?.differs(anchor.account, anchor.balances))) return
      await setWakeTime(db, anchor.id, 0)
      anchor.due = true
    })
    const mustRun = ({ subdomain }: { subdomain: string }) =>
      sleepAfterSeconds === 0 || alwaysOn.includes(subdomain)
    const due = asleep.filter(each => each.due && !mustRun(each)).slice(0, await roomFor(deps))
    const overdue = asleep.filter(each => mustRun(each) && !each.waits)
    await each([...overdue, ...due], ({ id }) => wake(deps, id))
  }
  /** None while the reverse proxy does not answer, which must keep nobody asleep. */
  const unusedIfKnown = () =>
    listUnused(deps).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'no anchor falls asleep, because its use is not known')
      return []
    })
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
    everyMs: deps.config.work.reconcileSeconds * 1_000,
    stopWithinMs: STOP_WITHIN_MS,
    act: () => alone(deps, { of: 'sleeping' }, round),
  })
}

/**
 * How many anchors may be woken in this round. After an outage, or where a stranger pays a little to every account, all have
 * something to do at once, and the machine has no memory for all: half of what may be awake is left to those that clients use.
 */
async function roomFor({ database, config }: Deps): Promise<number> {
  return Math.max(AT_ONCE, Math.floor(config.work.awakeAtMost / 2) - (await countAwake(database.db)))
}

/**
 * Running anchors without a request for long enough. Where many are awake, also those that were used the longest ago, as many
 * as there are too many.
 */
async function listUnused(deps: Deps): Promise<string[]> {
  const { alwaysOn, awakeAtMost, sleepAfterSeconds } = deps.config.work
  const signal = AbortSignal.timeout(5_000)
  const copies = await deps.proxies.all(proxy => proxy.call(listActivity, { signal }))
  const quiet = new Map<string, number>()
  for (const { host, underWay, quietMs } of copies.flat())
    quiet.set(host, Math.min(quiet.get(host) ?? Infinity, underWay > 0 ? 0 : quietMs))
  const running = await listRunning(deps.database.db)
  const tooMany = running.length - CROWDED * awakeAtMost
  return running
    .filter(({ plan }) => !alwaysOn.includes(plan.subdomain))
    .map(({ id, plan }) => ({ id, quietMs: quiet.get(hostOf(plan)) ?? 0 }))
    .toSorted((one, other) => other.quietMs - one.quietMs)
    .filter(
      ({ quietMs }, index) =>
        quietMs >=
        (index < tooMany ? Math.min(CROWDED_MS, sleepAfterSeconds * 1_000) : sleepAfterSeconds * 1_000),
    )
    .map(({ id }) => id)
}
