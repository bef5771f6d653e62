import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { sealWhenDue } from '@windlass/service/seals/sealing.ts'
import { sealedMessages } from '@windlass/service/work/outbox.ts'
import type { Deps } from './deps.ts'
import { sealedFiles } from './sep12/files.ts'
import { sealedDetails } from './transactions/details.ts'

/** Every column that DETAILS_KEY encrypts. */
export const sealedColumns = [sealedDetails, sealedFiles, sealedMessages]

/** Encrypts customers' details again when it is due. */
export async function sealWhenKeysChange({ config, database }: Deps): Promise<void> {
  const { detailsKeys, anchor } = config
  const seal = async () => void (await sealAgain(database.pool, 'DETAILS_KEY', detailsKeys, sealedColumns))
  await sealWhenDue(database.db, { version: anchor.version, key: [...detailsKeys.keys()][0] ?? 0, seal })
}
