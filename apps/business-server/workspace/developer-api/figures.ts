import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { isUnknownZone } from '../../money/journal/settings.ts'
import { cashFlow, treasuryByDay } from '../../money/journal/flows.ts'
import { dailyVolume } from '../../money/journal/volume.ts'
import type { Tables } from '../../tables.ts'
import { completionTimes, countSteps, pendingTransfers } from '../../transfers/figures.ts'

/** Throws `validation-failed` for a time zone that Postgres does not know. */
export async function figures(
  db: Db<Tables>,
  asset: AssetKey,
  { days: count = 30, timeZone = 'UTC' }: { days?: number; timeZone?: string },
): Promise<Figures> {
  const days = await dailyVolume(db, asset, count, timeZone).catch((error: unknown) => {
    throw isUnknownZone(error) ? invalid('timeZone', 'must be an IANA name such as Asia/Kolkata') : error
  })
  const [pending, funnel, completion, balances, cash] = await Promise.all([
    pendingTransfers(db, asset),
    countSteps(db, count, timeZone),
    completionTimes(db, count, timeZone),
    treasuryByDay(db, asset, count, timeZone),
    cashFlow(db, count, timeZone),
  ])
  return {
    ...{ timeZone, pending, funnel, completion, cash },
    days: days.map((day, at) => ({ ...day, treasury: balances[at] })),
  }
}

/** `invalid_parameter_value` */
