import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  type AnchorSettings,
  plannedSettings,
  type SettingsVersion,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { checkSettings } from './check.ts'
import { findLogo } from './logos.ts'

const LISTED_VERSIONS = 50

type Reading = { config: Pick<Deps['config'], 'anchor'> }

/** The settings that count now, with their version. */
export async function currentSettings({ config }: Reading, db: Db<Tables>): Promise<SettingsVersion> {
  const [newest] = await storedVersions(db, 1)
  return newest ?? firstVersion(config.anchor.plan)
}

const RECENT_MS = 1_000
const recent = new WeakMap<Deps['database'], { at: number; settings: Promise<SettingsVersion> }>()

/** The settings as they were within the last second: for what is information, and is asked often. */
export function recentSettings(deps: Pick<Deps, 'config' | 'database'>): Promise<SettingsVersion> {
  const known = recent.get(deps.database)
  if (known && performance.now() - known.at < RECENT_MS) return known.settings
  const settings = currentSettings(deps, deps.database.db)
  recent.set(deps.database, { at: performance.now(), settings })
  settings.catch(() => recent.delete(deps.database))
  return settings
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** In units of the first asset; `above` null: any amount. */
interface ApprovalLimits {
  /** One person acts alone up to it. */
  above: string | null
  /** One API key. */
  keysAbove: string
}

/**
 * The amounts above which something needs a second person. They are the lowest of the last day, so that nobody raises
 * them and acts alone at once.
 */
export async function approvalLimits(
  { clock }: Pick<Deps, 'clock'>,
  db: Db<Tables>,
): Promise<ApprovalLimits> {
  const since = new Date(clock.now().getTime() - DAY_MS)
  const { rows } = await sql<{ above: string | null; keys: string | null }>`
    select min((settings -> 'approvals' ->> 'above')::numeric)::text as above,
      min(coalesce((settings -> 'approvals' ->> 'keysAbove')::numeric, 0))::text as keys
    from business_settings
    where version >= coalesce((select max(version) from business_settings where at <= ${since}), 0)`.execute(
    db,
  )
  const { above = null, keys = null } = rows[0] ?? {}
  const keysAbove = keys ?? '0'
  const isLower = above !== null && parseAmount(above) < parseAmount(keysAbove)
  return { above, keysAbove: isLower ? above : keysAbove }
}

/** All settings that were set, newest first; the last one is what the application asked for. */
export async function settingsHistory({ config }: Reading, db: Db<Tables>): Promise<SettingsVersion[]> {
  return [...(await storedVersions(db, LISTED_VERSIONS)), firstVersion(config.anchor.plan)]
}

/**
 * Adds settings, which count from then on. What changes nothing adds none.
 *
 * @throws `settings-changed` where the version is not the newest, `validation-failed` for values that cannot be.
 */
export async function addSettings(
  deps: Pick<Deps, 'config' | 'database'>,
  { settings, version, by }: { settings: AnchorSettings; version: number; by: string },
): Promise<void> {
  const { plan } = deps.config.anchor
  const checked = checkSettings(settings, plan)
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(727060)`.execute(tx)
    const current = await currentSettings(deps, tx)
    if (current.version !== version) {
      throw new Problem(
        'settings-changed',
        'Someone else changed the settings meanwhile. Look at them again, then repeat your change.',
      )
    }
    if (isDeepStrictEqual(checked, current.settings)) return
    const { logo } = checked.branding
    if (logo !== null && !(await findLogo(tx, logo)))
      throw new Problem('validation-failed', 'There is no logo with this id. Upload it first.')
    await tx
      .insertInto('business_settings')
      .values({ settings: JSON.stringify(checked), by })
      .execute()
  })
  recent.delete(deps.database)
}

/** The least that a transaction could ever be of. */
export async function leastAmountEver({ config }: Reading, db: Db<Tables>): Promise<Amount> {
  const planned = parseAmount(config.anchor.plan.limits.min)
  const { rows } = await sql<{ least: string | null }>`
    select min((settings -> 'limits' ->> 'min')::numeric)::text as least from business_settings`.execute(db)
  const set = rows[0]?.least ? parseAmount(rows[0].least) : planned
  return set < planned ? set : planned
}

const firstVersion = (plan: AnchorPlan): SettingsVersion => ({
  version: 0,
  settings: plannedSettings(plan),
  by: null,
  at: null,
})

async function storedVersions(db: Db<Tables>, limit: number): Promise<SettingsVersion[]> {
  const query = db.selectFrom('business_settings').selectAll().orderBy('version', 'desc').limit(limit)
  return (await query.execute()).map(({ version, settings, by, at }) => ({
    version: Number(version),
    settings,
    by,
    at: at.toISOString(),
  }))
}

/** The version of the settings that count; 0: those of the application. */
export const settingsVersion = scalar(
  sql<number | null>`select max(version) from business_settings`,
  version => Number(version ?? 0),
)
