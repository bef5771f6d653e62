import type { Sealer } from '@windlass/service/seal.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { PayoutFile } from '../../tables.ts'

const contextOf = (code: string) => `payout-file:${code}`

export const sealFile = (sealer: Sealer, code: string, content: string): Buffer =>
  sealer.seal(content, contextOf(code))

/** Throws where the key does not fit. */
export const openFile = (sealer: Sealer, { code, sealed }: Pick<PayoutFile, 'code' | 'sealed'>): string =>
  sealer.open(sealed, contextOf(code))

/** Encrypts under the newest key what an older one encrypted. */
export async function sealFilesAgain({
  database,
  sealer,
  sealVersion,
}: Pick<Deps, 'database' | 'sealer' | 'sealVersion'>): Promise<void> {
  const rows = await database.db
    .selectFrom('payout_files')
    .select(['id', 'code', 'sealed'])
    .where(sql<boolean>`substring(sealed for 1) <> ${Buffer.from([sealVersion])}`)
    .execute()
  for (const row of rows) {
    const sealed = sealFile(sealer, row.code, openFile(sealer, row))
    await database.db.updateTable('payout_files').set({ sealed }).where('id', '=', row.id).execute()
  }
}
