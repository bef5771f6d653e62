import { sealingDueAt as dueAt, sealWhenDue } from '@windlass/service/seals/sealing.ts'
import { sealReturnAccountsAgain } from '../bank-files/return-accounts.ts'
import { sealActionsAgain } from '../money/approvals/approvals.ts'
import { sealLinesAgain } from '../bank-files/lines.ts'
import { sealNamesAgain } from '../people/compliance/screened-names.ts'
import { sealVelocityKeyAgain } from '../people/compliance/velocity.ts'
import { sealUnderNewestKey } from '../people/customers/seal-details.ts'
import { sealVerifiedNamesAgain } from '../people/customers/verified-name.ts'
import type { Deps } from '../deps.ts'
import { bindOrdersAgain } from '../payments/bound-orders.ts'
import { sealFilesAgain } from '../rails/bank-file/files.ts'
import { sealDestinationsAgain } from '../transfers/destination.ts'
import { sealRecordsAgain } from '../transfers/travel-rule/records.ts'
import { sealSecretsAgain } from '../outgoing/webhooks/endpoints.ts'

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
