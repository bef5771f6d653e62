import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { dataKeyContext } from './vault.ts'

/**
 * Seals every data key again that an older master key seals. Afterwards the older key may be removed from MASTER_KEY.
 * Resolves to how many data keys there were.
 *
 * @param newest version of the key that seals
 */
export async function resealDataKeys(db: Kysely<Tables>, master: Sealer, newest: number): Promise<number> {
  const rows = await db
    .selectFrom('anchors')
    .select(['id', 'data_key'])
    .where(sql<boolean>`get_byte(data_key, 0) <> ${newest}`)
    .execute()
  for (const { id, data_key } of rows) {
    const context = dataKeyContext(id)
    await db
      .updateTable('anchors')
      .set({ data_key: master.seal(master.open(data_key, context), context) })
      .where('id', '=', id)
      .where('data_key', '=', data_key)
      .execute()
  }
  return rows.length
}

/** Versions of master keys that seal data keys and that the keyring lacks: those anchors cannot be opened. */
export async function missingKeys(
  db: Kysely<Tables>,
  keyring: ReadonlyMap<number, unknown>,
): Promise<{ version: number; anchors: number }[]> {
  const { rows } = await sql<{ version: number; anchors: number }>`
    select get_byte(data_key, 0) as version, count(*)::int as anchors from anchors group by 1 order by 1`.execute(
    db,
  )
  return rows.filter(({ version }) => !keyring.has(version))
}
