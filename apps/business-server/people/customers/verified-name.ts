import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { scoreOf } from '../compliance/names/score.ts'
import { wordsOf } from '../compliance/names/words.ts'
import { recordName } from '../compliance/screened-names.ts'
import type { Tables } from '../../tables.ts'

const contextOf = (centralId: string) => `verified-name:${centralId}`

export const sealedVerifiedNames = sealedColumn({
  ...{ table: 'kyc_statuses', column: 'sealed_name', key: ['central_id'] },
  contextOf: ({ central_id }) => contextOf(central_id),
})

/** The name on the document of a customer of the platform; null: nobody knows it. */
export async function verifiedNameOf(
  db: Db<Tables>,
  sealer: Sealer,
  centralId: string | null,
): Promise<string | null> {
  if (centralId === null) return null
  const row = await db
    .selectFrom('kyc_statuses')
    .select('sealed_name')
    .where('central_id', '=', centralId)
    .executeTakeFirst()
  return row?.sealed_name ? sealer.open(row.sealed_name, contextOf(centralId)) : null
}

/** By the customer's id at the platform; those that nobody knows are left out. */
export async function verifiedNamesOf(
  db: Db<Tables>,
  sealer: Sealer,
  centralIds: readonly string[],
): Promise<Map<string, string>> {
  if (centralIds.length === 0) return new Map()
  const query = db.selectFrom('kyc_statuses').select(['central_id', 'sealed_name'])
  const rows = await query.where('central_id', 'in', [...centralIds]).execute()
  return new Map(
    rows.flatMap(({ central_id: id, sealed_name: sealed }) =>
      sealed ? [[id, sealer.open(sealed, contextOf(id))] as const] : [],
    ),
  )
}

/** Keeps a person's verified name beside their status, and has it compared with the lists for all their accounts. */
export async function keepVerifiedName(
  tx: Db<Tables>,
  sealer: Sealer,
  centralId: string,
  name: string | null,
): Promise<void> {
  if (name === null || name === (await verifiedNameOf(tx, sealer, centralId))) return
  await tx
    .updateTable('kyc_statuses')
    .set({ sealed_name: sealer.seal(name, contextOf(centralId)) })
    .where('central_id', '=', centralId)
    .execute()
  const accounts = await tx
    .selectFrom('customers')
    .select('id')
    .where('central_id', '=', centralId)
    .orderBy('id')
    .execute()
  for (const { id } of accounts) await compareVerifiedName(tx, sealer, id, name)
}

/** Has the verified name of an account's person compared with the lists. */
export const compareVerifiedName = (
  tx: Db<Tables>,
  sealer: Sealer,
  customerId: string,
  name: string | null,
): Promise<void> =>
  recordName(tx, sealer, { subject: { kind: 'customer', id: customerId }, role: 'verified', name })

/** Removes the verified name of a person without another account here. */
export async function forgetVerifiedName(
  tx: Db<Tables>,
  { id, central_id }: { id: string; central_id: string | null },
): Promise<void> {
  await tx
    .updateTable('kyc_statuses')
    .set({ sealed_name: null })
    .where('central_id', '=', central_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('customers').select('id').where('central_id', '=', central_id).where('id', '<>', id),
        ),
      ),
    )
    .execute()
}

/** Below it two names are not of one person: a missing middle name or another spelling scores more. */
const SAME_PERSON = 0.7

/** Whether a customer told a name clearly unlike the one on their document; null: one of the two is not known. */
export const namesDiffer = (told: string | null, verified: string | null): boolean | null =>
  told === null || verified === null ? null : scoreOf(wordsOf(told), wordsOf(verified)) < SAME_PERSON
