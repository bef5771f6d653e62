import { Networks } from '@stellar/stellar-sdk/base'
import type { CountryRules, CountryRulesHistory } from '@windlass/contracts/anchor/country-rules.ts'
import { countries } from '@windlass/contracts/countries.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

const LISTED_VERSIONS = 20
type Reading = { config: Pick<Deps['config'], 'anchor'> }

/** The FATF calls for countermeasures against them. */
const PROHIBITED = ['IR', 'KP']
/** The FATF's call for enhanced checks, and its list of jurisdictions under increased monitoring of October 2025. */
const HIGH_RISK = 'MM AO BG BO CD CI CM DZ HT KE LA LB MC NA NP SS SY VE VG VN YE'.split(' ').toSorted()

/** On test networks, whose money is worth nothing, customers are not asked where they live. */
const firstRules = ({ config }: Reading): CountryRules => ({
  prohibited: PROHIBITED,
  highRisk: HIGH_RISK,
  asksResidence: config.anchor.network.passphrase === Networks.PUBLIC,
})

export async function listCountryRules(reading: Reading, db: Db<Tables>): Promise<CountryRulesHistory> {
  const query = db.selectFrom('country_rules').selectAll().orderBy('version', 'desc')
  const rows = await query.limit(LISTED_VERSIONS).execute()
  const set = rows.map(
    ({ version, prohibited, high_risk: highRisk, asks_residence: asksResidence, by, at }) => ({
      version: Number(version),
      rules: { prohibited, highRisk, asksResidence },
      ...{ by, at: at.toISOString() },
    }),
  )
  return { history: [...set, { version: 0, rules: firstRules(reading), by: null, at: null }] }
}

export async function currentCountryRules(reading: Reading, db: Db<Tables>): Promise<CountryRules> {
  const { history } = await listCountryRules(reading, db)
  return history[0]?.rules ?? firstRules(reading)
}

/**
 * Adds rules, which count for what starts and for money that moves from then on.
 *
 * @throws {Problem} `settings-changed` where the version is not the newest, `validation-failed`.
 */
export async function addCountryRules(
  deps: Pick<Deps, 'config' | 'database'>,
  { rules, version, by }: { rules: CountryRules; version: number; by: string },
): Promise<void> {
  const known = new Set(countries.values())
  for (const name of ['prohibited', 'highRisk'] as const)
    for (const country of rules[name])
      if (!known.has(country))
        throw invalid(`rules.${name}`, `has ${country}, which is no country of ISO 3166-1`)
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('country rules', 0))`.execute(tx)
    const { history } = await listCountryRules(deps, tx)
    if (history[0]?.version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the countries meanwhile. Look at them again, then repeat your change.',
      )
    const { prohibited, highRisk, asksResidence } = rules
    await tx
      .insertInto('country_rules')
      .values({ prohibited, high_risk: highRisk, asks_residence: asksResidence, by })
      .execute()
  })
}

type CountryOf = 'residence' | 'document' | 'payer-account' | 'payee-account'

/** A country that has to do with a transaction. */
export interface KnownCountry {
  of: CountryOf
  /** Two letters. */
  country: string
  /** Whose it is, where a decision about it counts for all they do. */
  customer: string | null
}

/** Where a bank account is: of an IBAN or a BIC. */
export function countryOfAccount(text: string): string | null {
  const plain = text.replaceAll(/\s/g, '').toUpperCase()
  const [, ofIban] = /^([A-Z]{2})\d{2}[A-Z0-9]{11,30}$/.exec(plain) ?? []
  const [, ofBic] = /^[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.exec(plain) ?? []
  return ofIban ?? ofBic ?? null
}

/** Notes from where a transaction was paid. */
export async function notePayerCountry(tx: Db<Tables>, transferId: string, account: string): Promise<void> {
  const country = countryOfAccount(account)
  if (country === null) return
  await tx
    .insertInto('payer_countries')
    .values({ transfer_id: transferId, country })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

export async function payerCountries(db: Db<Tables>, transferId: string): Promise<string[]> {
  const query = db.selectFrom('payer_countries').select('country').where('transfer_id', '=', transferId)
  return (await query.execute()).map(({ country }) => country)
}

/** The version of the rules that count; 0: the program's. */
export const countryVersion = scalar(sql<number | null>`select max(version) from country_rules`, version =>
  Number(version ?? 0),
)
