import type { Sealer } from '@windlass/service/seal.ts'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../database.ts'
import { dataKeyContext } from './vault.ts'

/**
 * Seals every anchor's data key anew that lies under an older master key. When it has run, the older one may be
 * taken out of MASTER_KEY; until then both open. Resolves to how many there were.
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

/**
 * The versions of master keys under which anchors' data keys lie that the keyring lacks: those anchors could not be
 * opened.
 */
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
