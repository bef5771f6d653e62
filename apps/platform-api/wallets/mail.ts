import { checkMemo } from '@windlass/stellar/addresses.ts'
import { findAnchor } from '../anchors/anchors.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { emailCustomer } from '../mail/customer-emails.ts'
import { enqueueEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { linkedEmail, waitingEmail } from './emails.ts'
import { createRemovalLink, REMOVAL_DAYS, type Removal } from './removal.ts'

const emails = { linked: linkedEmail, waiting: waitingEmail }

/**
 * Emails the customer, in the same transaction, that a wallet was linked or waits for them, with a link that removes it.
 * `anchorId`: where someone signed in with it; null: it was linked in the portal.
 */
export async function mailAboutWallet(
  deps: Pick<Deps, 'config' | 'sealer' | 'clock'>,
  tx: PlatformDb,
  what: keyof typeof emails,
  removal: Removal,
  anchorId: string | null,
): Promise<void> {
  const customer = await findCustomer(tx, removal.customerId)
  // The customer of an anchor's test wallet has an address that no email can reach (RFC 2606).
  if (!customer || customer.email.endsWith('.invalid')) return
  const anchor = anchorId === null ? undefined : await findAnchor(tx, anchorId)
  const email = emails[what]({
    account: removal.account,
    memo: removal.memo === null ? null : printMemo(removal.memo),
    anchor: anchor ? { name: anchor.plan.organizationName, homeDomain: anchor.home_domain } : null,
    removeUrl: await createRemovalLink(deps, tx, removal),
    walletsUrl: `${deps.config.urls.customerPortal}/wallets`,
    days: REMOVAL_DAYS,
  })
  const { account, memo, customerId } = removal
  const [id, to] = [newId('wallet'), customer.email]
  if (anchorId === null) return void (await enqueueEmail(tx, deps.sealer, id, to, email))
  const about = { anchorId, account, memo }
  await emailCustomer(tx, deps.sealer, { id, to, email, customerId, about, now: deps.clock.now() })
}

/** A memo as emails show it: anyone who chose its text must not write into them. */
export const printMemo = (memo: string): string => (checkMemo(memo, 'id') === null ? memo : '…')
