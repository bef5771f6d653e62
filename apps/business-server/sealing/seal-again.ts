import { sealingDueAt as dueAt, sealWhenDue } from '@windlass/service/sealing.ts'
import { sealReturnAccountsAgain } from '../bank-files/return-accounts.ts'
import { sealActionsAgain } from '../approvals/approvals.ts'
import { sealLinesAgain } from '../bank-files/store.ts'
import { sealNamesAgain } from '../compliance/screening.ts'
import { sealVelocityKeyAgain } from '../compliance/velocity.ts'
import { sealUnderNewestKey } from '../customers/seal-details.ts'
import { sealVerifiedNamesAgain } from '../customers/verified-name.ts'
import type { Deps } from '../deps.ts'
import { bindOrdersAgain } from '../payments/bound-orders.ts'
import { sealFilesAgain } from '../rails/bank-file/files.ts'
import { sealDestinationsAgain } from '../transfers/destination.ts'
import { sealRecordsAgain } from '../travel-rule/records.ts'
import { sealSecretsAgain } from '../webhooks/endpoints.ts'

const byOf = ({ config, sealVersion }: Deps) => ({ version: config.anchor.version, key: sealVersion })

export const sealingDueAt = (deps: Deps) => dueAt(byOf(deps))

/** Encrypts personal data again when it is due. */
export async function sealAgain(deps: Deps): Promise<void> {
  const seal = async (): Promise<void> => {
    await sealUnderNewestKey(deps)
    await sealVerifiedNamesAgain(deps)
    await sealDestinationsAgain(deps)
    await sealLinesAgain(deps)
    await sealNamesAgain(deps)
    await sealVelocityKeyAgain(deps)
    await sealRecordsAgain(deps)
    await sealFilesAgain(deps)
    await sealReturnAccountsAgain(deps)
    await bindOrdersAgain(deps)
    await sealActionsAgain(deps)
    await sealSecretsAgain(deps)
  }
  await sealWhenDue(deps.database.db, { ...byOf(deps), seal })
}
