import { Networks } from '@stellar/stellar-sdk/base'
import type { TravelRuleHistory, TravelRuleSettings } from '@windlass/contracts/anchor/travel-rule.ts'
import { AmountError, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { multiply, parseRate } from '@windlass/money/rate.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { isValidLei } from './constraints.ts'

const LISTED_VERSIONS = 20
/** The threshold of FATF recommendation 16, in US dollars or euros. */
const FATF_THRESHOLD = '1000'

type Reading = { config: Pick<Deps['config'], 'anchor' | 'fx'> }

/** What counts as long as nobody set something: on test networks, whose money is worth nothing, no data is asked for. */
const firstSettings = ({ config }: Reading): TravelRuleSettings => ({
  threshold: config.anchor.network.passphrase === Networks.PUBLIC ? defaultThreshold(config) : null,
  lei: null,
})

/** As much of the asset as the threshold is worth, in whole units; of another currency without a rate as many units. */
function defaultThreshold({ anchor, fx }: Reading['config']): string {
  const { anchoredTo } = anchor.plan.asset
  const rate = ['USD', 'USDC', 'EUR'].includes(anchoredTo) ? undefined : fx[anchoredTo]
  if (rate === undefined) return FATF_THRESHOLD
  return formatAmount(multiply(parseAmount(FATF_THRESHOLD), parseRate(rate))).replace(/\..*/, '')
}

export async function listTravelRule(
  reading: Reading,
  db: Db<Tables>,
): Promise<TravelRuleHistory['history']> {
  const query = db.selectFrom('travel_rule_settings').selectAll().orderBy('version', 'desc')
  const rows = await query.limit(LISTED_VERSIONS).execute()
  const first = { version: 0, settings: firstSettings(reading), by: null, at: null }
  const set = rows.map(({ version, threshold, lei, by, at }) => ({
    version: Number(version),
    settings: { threshold: threshold && formatAmount(parseAmount(threshold)), lei },
    ...{ by, at: at.toISOString() },
  }))
  return [...set, first]
}

export async function currentTravelRule(reading: Reading, db: Db<Tables>): Promise<TravelRuleSettings> {
  const [newest] = await listTravelRule(reading, db)
  return newest?.settings ?? firstSettings(reading)
}

/**
 * Adds settings, which count for money that moves from then on.
 *
 * @throws {Problem} `settings-changed` where the version is not the newest, `validation-failed`.
 */
export async function addTravelRule(
  deps: Pick<Deps, 'config' | 'database'>,
  {
    settings: { threshold, lei },
    version,
    by,
  }: { settings: TravelRuleSettings; version: number; by: string },
): Promise<void> {
  if (lei !== null && !isValidLei(lei))
    throw invalid('settings.lei', 'is no LEI: its check digits do not fit')
  const above = threshold && checked(threshold)
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('travel rule', 0))`.execute(tx)
    const [newest] = await listTravelRule(deps, tx)
    if (newest?.version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the travel rule meanwhile. Look at it again, then repeat your change.',
      )
    await tx.insertInto('travel_rule_settings').values({ threshold: above, lei, by }).execute()
  })
}

function checked(threshold: string): string {
  try {
    const amount = parseAmount(threshold)
    // Zero: the data of every transfer is kept, as between providers of the EU.
    if (amount < 0n) throw new AmountError('must not be less than zero')
    return formatAmount(amount)
  } catch (error) {
    if (error instanceof AmountError) throw invalid('settings.threshold', error.message)
    throw error
  }
}

/** The version of the settings that count; 0: the program's. */
export const travelRuleVersion = scalar(
  sql<number | null>`select max(version) from travel_rule_settings`,
  version => Number(version ?? 0),
)
