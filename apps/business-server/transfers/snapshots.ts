import type { Snapshot } from '@windlass/contracts/anchor/evidence.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { readScalar, together } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { type Selectable, sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { settingsVersion } from '../money/settings/settings.ts'
import { countryVersion } from '../people/compliance/country-rules.ts'
import { listsNow, thresholdNow } from '../people/compliance/lists.ts'
import { velocityVersion } from '../people/compliance/velocity-rules.ts'
import { isTransferHeld } from './retention.ts'
import { checkOf } from '../people/customers/overview.ts'
import { verifiedNameOf } from '../people/customers/verified-name.ts'
import { findRating } from '../people/risk-rating/rate.ts'
import { riskVersion } from '../people/risk-rating/rules.ts'
import type { Tables, Transfer, TransferSnapshotTable } from '../tables.ts'
import { customersOf } from './countries.ts'
import { travelRuleVersion } from './travel-rule/settings.ts'

type Row = Selectable<TransferSnapshotTable>
const contextOf = ({ transfer_id, moment }: Pick<Row, 'transfer_id' | 'moment'>) =>
  `transfer-snapshot:${transfer_id}:${moment}`

export const sealedSnapshots = sealedColumn({
  ...{ table: 'transfer_snapshots', column: 'sealed', key: ['transfer_id', 'moment'] },
  contextOf: row => contextOf(row as Row),
})

/** Keeps what is known now of a transaction's customers and of the rules that count, once for a moment. */
export async function keepSnapshot(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  moment: Row['moment'],
): Promise<void> {
  const of = { transfer_id: transfer.id, moment }
  const query = tx.selectFrom('transfer_snapshots').select('at').where('transfer_id', '=', transfer.id)
  if (await exists(query.where('moment', '=', moment))) return
  const at = deps.clock.now()
  const known: Snapshot = {
    ...{ moment, at: at.toISOString() },
    customers: await customersThen(deps, tx, transfer),
    rules: await readScalar(tx, rulesNow),
  }
  await tx
    .insertInto('transfer_snapshots')
    .values({ ...of, at, sealed: deps.sealer.seal(JSON.stringify(known), contextOf(of)) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function customersThen(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<Snapshot['customers']> {
  const found: Snapshot['customers'] = []
  for (const customer of await customersOf(deps, tx, transfer)) {
    const { id, account, memo, fields, central_id: person } = customer
    const check = await checkOf(tx, person)
    found.push({
      ...{ id, account, memo, fields: { ...fields } },
      verifiedName: await verifiedNameOf(tx, deps.sealer, person),
      identity: check && {
        ...{ status: check.status, provider: check.provider, session: check.session_id },
        at: check.completed_at.toISOString(),
      },
      rating: (await findRating(tx, id))?.rating ?? null,
    })
  }
  return found
}

/** The versions of all that counts, in one query: it is asked while a transfer is locked. */
const rulesNow = together({
  ...{ lists: listsNow, threshold: thresholdNow, settings: settingsVersion, velocityRules: velocityVersion },
  ...{ countryRules: countryVersion, riskRules: riskVersion, travelRule: travelRuleVersion },
})

/** Oldest first. */
export async function snapshotsOf(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  transferId: string,
): Promise<Snapshot[]> {
  const query = database.db.selectFrom('transfer_snapshots').selectAll().where('transfer_id', '=', transferId)
  return (await query.orderBy('at').execute()).map(
    row => JSON.parse(sealer.open(row.sealed, contextOf(row))) as Snapshot,
  )
}

/** The customer of these transfers, which nobody paid, is deleted. */
export async function forgetSnapshots(tx: Db<Tables>, transferIds: readonly string[]): Promise<void> {
  if (transferIds.length === 0) return
  await tx.deleteFrom('transfer_snapshots').where('transfer_id', 'in', transferIds).execute()
}

/** Removes those of before, except while someone looks into their transaction or its customers. @returns how many. */
export async function removeSnapshotsBefore(
  tx: Db<Tables>,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from transfer_snapshots where (transfer_id, moment) in (
      select s.transfer_id, s.moment from transfer_snapshots s
      where s.at < ${before} and not ${isTransferHeld(sql`s.transfer_id`)}
      order by s.at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}
