import {
  mostHoursOf,
  velocityKinds,
  type VelocityHistory,
  type VelocityRule,
} from '@windlass/contracts/anchor/compliance.ts'
import { formatAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

const LISTED_VERSIONS = 20

/** What was counted before, and the rules themselves, stay as they are until the surrounding transaction ends. */
export const lockVelocity = (tx: Db<Tables>): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended('velocity rules', 0))`.execute(tx)

/** The rules that count first, then earlier ones. */
export async function listRules(db: Db<Tables>): Promise<VelocityHistory['history']> {
  const query = db.selectFrom('velocity_rules').selectAll().orderBy('version', 'desc').limit(LISTED_VERSIONS)
  return (await query.execute()).map(({ version, rules, by, at }) => ({
    ...{ version: Number(version), rules, by },
    at: at.toISOString(),
  }))
}

export async function currentRules(db: Db<Tables>): Promise<readonly VelocityRule[]> {
  const query = db.selectFrom('velocity_rules').select('rules').orderBy('version', 'desc').limit(1)
  return (await query.executeTakeFirst())?.rules ?? []
}

/**
 * Adds rules, which count for transfers that are paid from then on.
 *
 * @throws {Problem} `settings-changed` where the version is not the newest, `validation-failed`.
 */
export async function addRules(
  { database }: Pick<Deps, 'database'>,
  { rules, version, by }: { rules: readonly VelocityRule[]; version: number; by: string },
): Promise<void> {
  const checked = rules.map(checkRule)
  await database.db.transaction().execute(async tx => {
    await lockVelocity(tx)
    const [newest] = await listRules(tx)
    if ((newest?.version ?? 0) !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the rules meanwhile. Look at them again, then repeat your change.',
      )
    await tx
      .insertInto('velocity_rules')
      .values({ rules: JSON.stringify(checked), by })
      .execute()
  })
}

/** Throws `validation-failed`. */
export function checkRule(rule: VelocityRule, index: number): VelocityRule {
  const needed: readonly string[] = velocityKinds[rule.kind]
  for (const figure of ['count', 'amount'] as const)
    if ((rule[figure] !== null) !== needed.includes(figure))
      throw invalid(`rules.${index}.${figure}`, needed.includes(figure) ? 'is needed' : 'must be null')
  const { kind, hours, count, amount } = rule
  if (hours > mostHoursOf(kind))
    throw invalid(`rules.${index}.hours`, `must be at most ${mostHoursOf(kind)} for ${kind}`)
  const limit = amount && formatAmount(readField(`rules.${index}.amount`, amount, parsePositiveAmount))
  return { kind, hours, count, amount: limit }
}

/** The version of the rules that count; 0: none were set. */
export const velocityVersion = scalar(sql<number | null>`select max(version) from velocity_rules`, version =>
  Number(version ?? 0),
)
