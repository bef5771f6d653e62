import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { sealingDueAt as dueAt, sealWhenDue } from '@windlass/service/seals/sealing.ts'
import { sealedReturnAccounts } from './bank-files/return-accounts.ts'
import { sealedLines } from './bank-files/lines.ts'
import { sealedStatementFiles } from './bank-files/statements.ts'
import type { Deps } from './deps.ts'
import { factKinds } from './fact-kinds.ts'
import { bindDecisionsAgain } from './people/compliance/hits.ts'
import { bindFactsAgain } from './money/bound-facts/bound-facts.ts'
import { sealedActionAccounts } from './money/approvals/approvals.ts'
import { sealedManualDocuments } from './money/journal/manual.ts'
import { sealedEndpointSecrets } from './outgoing/webhooks/endpoints.ts'
import { bindOrdersAgain } from './payments/bound-orders.ts'
import { bindPaymentsAgain } from './payments/bound-payments.ts'
import { bindTermsAgain } from './transfers/bound-terms.ts'
import { sealedCaseSteps } from './people/compliance/cases.ts'
import { sealedFacts, sealedScreenedNames } from './people/compliance/screened-names.ts'
import { sealedVelocityKey } from './people/compliance/velocity.ts'
import { sealedKeptCustomers } from './people/customers/kept.ts'
import { sealedSearchKey } from './people/customers/search.ts'
import { sealedCustomerFiles, sealedCustomers, sealedFilePieces } from './people/customers/seal-details.ts'
import { sealedVerifiedNames } from './people/customers/verified-name.ts'
import {
  bindApprovalsAgain,
  sealedFiles,
  sealedPayoutAccounts,
  sealedSheets,
} from './rails/bank-file/files.ts'
import { sealedDestinations } from './transfers/destination.ts'
import { sealedOutsideAnswers } from './people/outside-checks/ask.ts'
import { sealedInquiries } from './transfers/travel-messages/inquiries.ts'
import { sealedOutsideSecrets } from './people/outside-checks/programs.ts'
import { sealedBeneficialOwners } from './people/owners/owners.ts'
import { sealedRatingNotes } from './people/risk-rating/notes.ts'
import { sealedIdentities } from './people/travel-providers/identity.ts'
import { sealedRegisterSteps, sealedRegisterTitles } from './people/registers/entries.ts'
import { sealedSnapshots } from './transfers/snapshots.ts'
import { sealedRecords } from './transfers/travel-rule/records.ts'

/** Every column that DETAILS_KEY encrypts. */
export const sealedColumns = [
  sealedCustomers,
  sealedCustomerFiles,
  sealedFilePieces,
  sealedKeptCustomers,
  sealedVerifiedNames,
  sealedDestinations,
  sealedLines,
  sealedStatementFiles,
  sealedScreenedNames,
  sealedFacts,
  sealedCaseSteps,
  sealedVelocityKey,
  sealedSearchKey,
  sealedRecords,
  sealedOutsideAnswers,
  sealedOutsideSecrets,
  sealedRatingNotes,
  sealedBeneficialOwners,
  sealedInquiries,
  sealedIdentities,
  sealedRegisterSteps,
  sealedRegisterTitles,
  sealedSnapshots,
  sealedFiles,
  sealedSheets,
  sealedPayoutAccounts,
  sealedReturnAccounts,
  sealedActionAccounts,
  sealedManualDocuments,
  sealedEndpointSecrets,
]

const byOf = ({ config }: Deps) => ({
  version: config.anchor.version,
  key: [...config.detailsKeys.keys()][0] ?? 0,
})

export const sealingDueAt = (deps: Deps) => dueAt(byOf(deps))

/** Encrypts personal data again, and binds open orders and approvals again, when it is due. */
export async function sealWhenKeysChange(deps: Deps): Promise<void> {
  const { config, database } = deps
  const seal = async (): Promise<void> => {
    await bindOrdersAgain(deps)
    await bindPaymentsAgain(deps)
    await bindTermsAgain(deps)
    await bindApprovalsAgain(deps)
    await bindDecisionsAgain(deps)
    await bindFactsAgain(deps, factKinds)
    await sealAgain(database.pool, 'DETAILS_KEY', config.detailsKeys, sealedColumns)
  }
  await sealWhenDue(database.db, { ...byOf(deps), seal })
}
