import type { AnchorEvent } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { letter, oneLine, type Letter } from '../mail/letter.ts'

/** What an anchor's owners are written of an event; `null`: nothing they need a mail for. */
export function eventLetter(plan: AnchorPlan, { kind, detail }: AnchorEvent): Letter | null {
  const name = oneLine(plan.organizationName)
  if (kind === 'ledger-reset') {
    return letter({
      subject: `The test network was reset: ${name} was restored`,
      paragraphs: [
        'Hello,',
        `the accounts of ${plan.homeDomain} were gone from the ledger, as happens when a test network is reset. They are funded again and ${plan.asset.code} is issued again, with the same keys.`,
        'Balances that customers held before are gone with the old ledger, and so are their trustlines.',
      ],
      footnote: detail,
    })
  }
  if (kind === 'removed') {
    return letter({
      subject: `${name}'s anchor was removed`,
      paragraphs: [
        'Hello,',
        `the anchor at ${plan.homeDomain} was removed by an administrator: its servers are stopped and it is no longer routed to. Its data was exported before, and its keys are kept.`,
      ],
      footnote: detail,
    })
  }
  return null
}
