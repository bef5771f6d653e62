import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf } from '../anchors/addresses.ts'
import { listSleepTimes, openAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { refreshInCluster } from '../servers/configuration.ts'

/** What the stand-in answers with for an anchor. */
interface Remembered {
  /** Who asks for the summary has it. */
  secret: string
  /** Its stellar.toml. */
  discovery: string
  /** JSON; null: the anchor is awake. */
  summary: string | null
  /** When it was read, in monotonic milliseconds. */
  at: number
}

/** How old it may be for the discovery file, and for a secret that does not fit. */
export const RECENT_MS = 60_000
/** Nothing changes a summary while the anchor sleeps. */
const SAME_SLEEP_MS = 600_000
/** Longer than the health worker's polls are apart, which ask for each. */
const SLEEP_TIMES_MS = 20_000

/** Reads it when it is first asked for, and again after its anchor was awake: one query finds that for all. */
export function createMemory(deps: Deps) {
  const known = new Map<string, Remembered & { since: number | null }>()
  let sleepTimes: { of: Promise<Map<string, number>>; until: number } | undefined

  const sleepsSince = async (anchorId: string): Promise<number | null> => {
    if (!sleepTimes || sleepTimes.until < performance.now()) {
      const of = listSleepTimes(deps.database.db)
      sleepTimes = { of, until: performance.now() + SLEEP_TIMES_MS }
      of.catch(() => (sleepTimes = undefined))
    }
    return (await sleepTimes.of).get(anchorId) ?? null
  }
  const read = async (anchorId: string): Promise<Remembered> => {
    const at = performance.now()
    const { anchor, plan, vault } = await openAnchor(deps, anchorId)
    await refreshInCluster(deps, plan, vault).catch((error: unknown) =>
      deps.logger.warn({ err: error, anchorId }, 'the configuration was not compared'),
    )
    const folder = folderOf(deps.config, anchorId, anchor.slot)
    const discovery = await readFile(join(folder, 'config', 'stellar.toml'), 'utf8')
    const { secret } = await vault.get(deps.database.db, 'summary')
    const { asleep_since: since, last_summary: last } = anchor
    const summary = since && last ? JSON.stringify({ ...last, asleepSince: since.toISOString() }) : null
    const found = { secret, discovery, summary, at, since: since?.getTime() ?? null }
    known.set(anchorId, found)
    return found
  }
  return {
    get: async (anchorId: string, maxAgeMs = SAME_SLEEP_MS): Promise<Remembered> => {
      const found = known.get(anchorId)
      const isRecent = found && performance.now() - found.at < maxAgeMs
      return isRecent && found.since === (await sleepsSince(anchorId)) ? found : read(anchorId)
    },
    forget: (anchorId: string): void => {
      known.delete(anchorId)
      sleepTimes = undefined
    },
  }
}
