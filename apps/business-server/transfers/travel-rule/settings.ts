import { Networks } from '@stellar/stellar-sdk/base'
import type {
  TravelRuleHistory,
  TravelRuleSettings,
  TravelRuleWanted,
} from '@windlass/contracts/anchor/travel-rule.ts'
import { type Amount, formatAmount, parseAmount, parseNotNegative } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { worthIn } from '../../money/pricing/worth.ts'
import type { Tables } from '../../tables.ts'
import { countries } from '@windlass/contracts/countries.ts'
import { isValidLei } from './constraints.ts'
import { lawOf } from './corridors.ts'

const LISTED_VERSIONS = 20
type Reading = { config: Pick<Deps['config'], 'anchor' | 'fx'> }

/** EUR, from which on a wallet is proven (Regulation (EU) 2023/1113). */
const OWNERSHIP_ABOVE = '1000'

/** What counts as long as nobody set something: on test networks, whose money is worth nothing, no data is asked for. */
function firstSettings({ config }: Reading): TravelRuleSettings {
  const isReal = config.anchor.network.passphrase === Networks.PUBLIC
  return {
    threshold: isReal ? wholeUnits(lawOf(config, null)) : null,
    ...{ lei: null, country: null, corridors: [], waitsForAnswer: true },
    ownershipAbove: isReal ? wholeUnits(inFirstAsset(config, OWNERSHIP_ABOVE)) : null,
  }
}

const wholeUnits = (amount: Amount): string => formatAmount(amount).replace(/\..*/, '')

/** As many units where the currency has no rate. */
function inFirstAsset({ anchor, fx }: Reading['config'], euros: string): Amount {
  const units = parseAmount(euros)
  return worthIn({ fx }, units, 'EUR', anchor.plan.asset.anchoredTo) ?? units
}

export async function listTravelRule(
  reading: Reading,
  db: Db<Tables>,
): Promise<TravelRuleHistory['history']> {
  const query = db.selectFrom('travel_rule_settings').selectAll().orderBy('version', 'desc')
  const rows = await query.limit(LISTED_VERSIONS).execute()
  const first = { version: 0, settings: firstSettings(reading), by: null, at: null }
  const plain = (amount: string | null) => amount && formatAmount(parseAmount(amount))
  const set = rows.map(({ version, by, at, threshold, lei, country, corridors, ...rest }) => ({
    version: Number(version),
    settings: {
      ...{ threshold: plain(threshold), lei, country, corridors },
      ownershipAbove: plain(rest.ownership_above),
      waitsForAnswer: rest.waits_for_answer,
    },
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
  { settings, version, by }: { settings: TravelRuleWanted; version: number; by: string },
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('travel rule', 0))`.execute(tx)
    const [newest] = await listTravelRule(deps, tx)
    if (newest?.version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the travel rule meanwhile. Look at it again, then repeat your change.',
      )
    const wanted = checked({ ...newest.settings, ...settings })
    const { ownershipAbove, waitsForAnswer, corridors, ...others } = wanted
    await tx
      .insertInto('travel_rule_settings')
      .values({
        ...{ ...others, corridors: JSON.stringify(corridors), by },
        ...{ ownership_above: ownershipAbove, waits_for_answer: waitsForAnswer },
      })
      .execute()
  })
}

function checked(settings: TravelRuleSettings): TravelRuleSettings {
  const { lei, country, corridors } = settings
  if (lei !== null && !isValidLei(lei))
    throw invalid('settings.lei', 'is no LEI: its check digits do not fit')
  for (const each of [country, ...corridors.map(corridor => corridor.country)])
    if (each !== null && !isCountry(each)) throw invalid('settings.country', `${each} is no country`)
  if (new Set(corridors.map(each => each.country)).size < corridors.length)
    throw invalid('settings.corridors', 'must not name a country twice')
  return {
    ...settings,
    threshold: plainAmount('threshold', settings.threshold),
    corridors: corridors.map(each => ({ ...each, threshold: plainAmount('corridors', each.threshold) })),
    ownershipAbove: plainAmount('ownershipAbove', settings.ownershipAbove),
  }
}

const isCountry = (code: string): boolean => [...countries.values()].includes(code)

/** Zero is every transfer, as between providers of the EU. */
function plainAmount(name: string, text: string | null): string | null {
  return text === null ? null : formatAmount(readField(`settings.${name}`, text, parseNotNegative))
}

/** The version of the settings that count; 0: the program's. */
export const travelRuleVersion = scalar(
  sql<number | null>`select max(version) from travel_rule_settings`,
  version => Number(version ?? 0),
)
