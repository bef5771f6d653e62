import type { CountryFinding } from '@windlass/contracts/anchor/compliance.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { currentCountryRules, type KnownCountry } from './country-rules.ts'
import { fileHits } from './file-hits.ts'
import { lockScreening } from './lists.ts'

/**
 * Holds a transaction for its countries, by a hit for each that is prohibited or looked at. One about a customer is decided once
 * for all they do, one about a bank account for this transaction.
 */
export async function holdForCountries(
  deps: Deps,
  tx: Db<Tables>,
  transferId: string,
  known: readonly KnownCountry[],
): Promise<void> {
  if (known.length === 0) return
  const { prohibited, highRisk } = await currentCountryRules(deps, tx)
  const findings = known.flatMap(({ of, country, customer }) => {
    const list = prohibited.includes(country) ? 'prohibited' : highRisk.includes(country) ? 'high-risk' : null
    if (list === null) return []
    const finding: CountryFinding = { of, country, list }
    const key = [of, country, list, customer ? `customer ${customer}` : transferId].join(' ')
    return { finding: { country: JSON.stringify(finding) }, key }
  })
  await holdForFindings(tx, transferId, findings)
}

/** What is found about a transaction: once for a key, and decided once for it. */
interface Found {
  key: string
  finding: { country: string } | { outside: string }
}

/** Holds a transaction for what was found, by a hit for each key, unless that was cleared. */
export async function holdForFindings(
  tx: Db<Tables>,
  transferId: string,
  findings: readonly Found[],
): Promise<void> {
  if (findings.length === 0) return
  await lockScreening(tx, 'shared')
  for (const { finding, key } of findings)
    await tx
      .insertInto('screening_hits')
      .values({ transfer_id: transferId, ...finding, country_key: key })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  const holding = await tx
    .selectFrom('screening_hits')
    .select('id')
    .where(
      'country_key',
      'in',
      findings.map(({ key }) => key),
    )
    .where('state', 'in', ['waiting', 'confirmed'])
    .execute()
  if (holding.length === 0) return
  await tx
    .insertInto('screening_holds')
    .values(
      holding.map(({ id }) => ({ subject_kind: 'transaction' as const, subject_id: transferId, hit_id: id })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await fileHits(tx)
}
