import { Networks } from '@stellar/stellar-sdk/base'
import {
  type RiskMeasures,
  type RiskRule,
  type RiskRules,
  type RiskRulesHistory,
  riskFactors,
} from '@windlass/contracts/anchor/risk-rating.ts'
import { formatAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

const LISTED_VERSIONS = 20
type Reading = { config: Pick<Deps['config'], 'anchor'> }

/** Where money is real, customers of high risk say where theirs comes from, as laws against money laundering ask. */
function firstRules({ config }: Reading): RiskRules {
  const whole = (reviewMonths: number, asksSourceOfFunds = false): RiskMeasures => ({
    ...{ limitPercent: 100, asksSourceOfFunds, reviewMonths },
  })
  return {
    rules: [{ when: 'high-risk-country', rating: 'high' }],
    measures: {
      low: whole(60),
      normal: whole(36),
      high: whole(12, config.anchor.network.passphrase === Networks.PUBLIC),
    },
  }
}

export async function listRiskRules(reading: Reading, db: Db<Tables>): Promise<RiskRulesHistory> {
  const query = db.selectFrom('risk_rules').selectAll().orderBy('version', 'desc').limit(LISTED_VERSIONS)
  const set = (await query.execute()).map(({ version, rules, by, at }) => ({
    ...{ version: Number(version), rules, by },
    at: at.toISOString(),
  }))
  return { history: [...set, { version: 0, rules: firstRules(reading), by: null, at: null }] }
}

export async function currentRiskRules(
  reading: Reading,
  db: Db<Tables>,
): Promise<{ version: number; rules: RiskRules }> {
  const { history } = await listRiskRules(reading, db)
  return history[0] ?? { version: 0, rules: firstRules(reading) }
}

/**
 * Adds rules, by which customers are rated from then on.
 *
 * @throws {Problem} `settings-changed` where the version is not the newest, `validation-failed`.
 */
export async function addRiskRules(
  deps: Pick<Deps, 'config' | 'database'>,
  { rules, version, by }: { rules: RiskRules; version: number; by: string },
): Promise<void> {
  const checked = { ...rules, rules: rules.rules.map(checkRule) }
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('risk rules', 0))`.execute(tx)
    if ((await currentRiskRules(deps, tx)).version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the rules meanwhile. Look at them again, then repeat your change.',
      )
    await tx
      .insertInto('risk_rules')
      .values({ rules: JSON.stringify(checked), by })
      .execute()
  })
}

function checkRule(rule: RiskRule, index: number): RiskRule {
  const needed = riskFactors[rule.when]
  for (const name of ['countries', 'days', 'amount'] as const)
    if ((rule[name] !== undefined) !== (needed === name))
      throw invalid(`rules.rules.${index}.${name}`, needed === name ? 'is needed' : 'must be left out')
  if (rule.amount === undefined) return rule
  const amount = readField(`rules.rules.${index}.amount`, rule.amount, parsePositiveAmount)
  return { ...rule, amount: formatAmount(amount) }
}

/** The version of the rules that count; 0: the program's. */
export const riskVersion = scalar(sql<number | null>`select max(version) from risk_rules`, version =>
  Number(version ?? 0),
)
