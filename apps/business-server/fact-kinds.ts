import { askedAccounts } from './bank-files/return-accounts.ts'
import { saidOpenings } from './bank-files/openings.ts'
import { askedActions } from './money/approvals/approvals.ts'
import type { FactKind } from './money/bound-facts/bound-facts.ts'
import { askedEntries } from './money/journal/manual.ts'
import { chosenSettings } from './money/treasury/settings.ts'
import { saidOfHeld } from './payments/held-before.ts'
import { gapFacts, heldReceipts } from './payments/incidents.ts'
import { releasedPayouts } from './payments/other-holder.ts'
import { cameBackFacts } from './payments/sent-back.ts'
import { enteredProviders } from './people/travel-providers/directory.ts'
import { saidRejections } from './rails/bank-file/files.ts'
import { disputeFacts } from './transfers/disputes.ts'
import { proposedEnds } from './workspace/reconciliation/resolve.ts'

/** Everything that people and the world decided and that is bound (docs/adr/0195). */
export const factKinds: readonly FactKind[] = [
  askedActions,
  askedAccounts,
  saidRejections,
  saidOpenings,
  askedEntries,
  proposedEnds,
  cameBackFacts,
  releasedPayouts,
  gapFacts,
  heldReceipts,
  saidOfHeld,
  chosenSettings,
  enteredProviders,
  disputeFacts,
]
