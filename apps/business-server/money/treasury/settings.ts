import { StrKey } from '@stellar/stellar-sdk/base'
import type { TreasurySettings, TreasurySettingsVersion } from '@windlass/contracts/anchor/business-server.ts'
import { servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, parseNotNegative } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { readScalar, scalar, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { bindFact, type FactKind, isFactBound } from '../bound-facts/bound-facts.ts'
import type { Tables, TreasurySettingsTable } from '../../tables.ts'

/** XLM for one claimable balance, which holds two reserves. */
const XLM_LOW = '1'
const LISTED_VERSIONS = 20

/**
 * The settings of an asset that count: the newest, or by default neither ceiling nor cold account, and as the threshold a
 * tenth of what is issued; of an existing asset, the largest transfer. `xlmLow` counts with those of the first asset.
 */
export const treasurySettings = (
  { config }: Pick<Deps, 'config'>,
  asset: AssetKey,
): Scalar<TreasurySettings> =>
  scalar(
    sql<SettingsColumns | null>`
      select json_build_object('low', low::text, 'ceiling', ceiling::text, 'cold_account', cold_account,
        'xlm_low', xlm_low::text)
      from treasury_settings where asset is not distinct from ${asset} order by version desc limit 1`,
    newest => {
      if (newest) return settingsForm(newest)
      const { asset: first, limits } = config.anchor.plan
      const { isOwn } = servedAsset(config.anchor, asset)
      const low = isOwn ? formatAmount(amountOf(parseAmount(first.issued) / 10n)) : limits.max
      return { low, ceiling: null, coldAccount: null, xlmLow: XLM_LOW }
    },
  )

export const getTreasurySettings = (
  deps: Pick<Deps, 'database' | 'config'>,
  asset: AssetKey,
): Promise<TreasurySettings> => readScalar(deps.database.db, treasurySettings(deps, asset))

/** When the settings that count were set; null: they are the default ones. */
export async function treasurySettingsSince(db: Db<Tables>, asset: AssetKey): Promise<Date | null> {
  const newest = await db
    .selectFrom('treasury_settings')
    .select('at')
    .where('asset', 'is not distinct from', asset)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.at ?? null
}

/** What was set, by its version: a sweep to the cold account follows from the newest one (docs/adr/0201). */
export const chosenSettings: FactKind = {
  kind: 'treasury-settings',
  rowOf: async (_, tx, version) => {
    const query = tx.selectFrom('treasury_settings').selectAll().where('version', '=', version)
    const row = await query.executeTakeFirst()
    return row
      ? [row.asset, text(row.low), text(row.ceiling), row.cold_account, text(row.xlm_low), row.by]
      : null
  },
}

/** Whether the settings of an asset that count say this cold account and ceiling, as a person set them. */
export async function areSettingsBound(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  asset: AssetKey,
  { coldAccount, ceiling }: Pick<TreasurySettings, 'coldAccount' | 'ceiling'>,
): Promise<boolean> {
  const newest = await tx
    .selectFrom('treasury_settings')
    .selectAll()
    .where('asset', 'is not distinct from', asset)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest?.cold_account !== coldAccount || text(newest.ceiling) !== ceiling) return false
  return isFactBound(deps, tx, chosenSettings, newest.version)
}

/** The settings that were set, newest first, each with who set it. */
export async function listVersions(db: Db<Tables>, asset: AssetKey): Promise<TreasurySettingsVersion[]> {
  const query = db
    .selectFrom('treasury_settings')
    .selectAll()
    .where('asset', 'is not distinct from', asset)
    .orderBy('version', 'desc')
    .limit(LISTED_VERSIONS)
  return (await query.execute()).map(versionForm)
}

const text = (amount: string | null) => amount && formatAmount(parseAmount(amount))

type SettingsColumns = Pick<Selectable<TreasurySettingsTable>, 'low' | 'ceiling' | 'cold_account' | 'xlm_low'>

const settingsForm = ({ low, ceiling, cold_account, xlm_low }: SettingsColumns): TreasurySettings => ({
  low: text(low) ?? '0',
  ceiling: text(ceiling),
  coldAccount: cold_account,
  xlmLow: text(xlm_low) ?? '0',
})

const versionForm = (row: Selectable<TreasurySettingsTable>): TreasurySettingsVersion => ({
  settings: settingsForm(row),
  by: row.by,
  at: row.at.toISOString(),
})

/** Adds settings, which count from then on. Throws `validation-failed`. */
export async function addTreasurySettings(
  deps: Pick<Deps, 'config' | 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { asset, by }: { asset: AssetKey; by: string },
  { low, ceiling, coldAccount, xlmLow }: TreasurySettings,
): Promise<void> {
  for (const [name, amount] of Object.entries({ low, ceiling, xlmLow }))
    if (amount !== null) readField(name, amount, parseNotNegative)
  if (ceiling !== null && parseAmount(ceiling) <= parseAmount(low))
    throw invalid('ceiling', 'must be more than low')
  if (coldAccount !== null) requireColdAccount(deps.config, asset, coldAccount)
  if (coldAccount !== null && ceiling === null)
    throw invalid('ceiling', 'is needed: what exceeds it is sent to the cold account')
  const { version } = await tx
    .insertInto('treasury_settings')
    .values({ asset, low, ceiling, cold_account: coldAccount, xlm_low: xlmLow, by })
    .returning('version')
    .executeTakeFirstOrThrow()
  await bindFact(deps, tx, chosenSettings, version)
}

/** Units that are sent to the issuing account are gone. */
function requireColdAccount({ anchor }: Deps['config'], asset: AssetKey, account: string): void {
  if (!StrKey.isValidEd25519PublicKey(account)) throw invalid('coldAccount', 'must be an account (G…)')
  const { issuer, distribution, signing } = anchor.accounts
  if ([issuer, distribution, signing].includes(account))
    throw invalid('coldAccount', "must not be one of the anchor's own accounts")
  if (servedAsset(anchor, asset).issuer === account)
    throw invalid('coldAccount', 'must not be the issuer of the asset')
}
