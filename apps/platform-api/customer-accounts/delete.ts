import { record } from '../audit/record.ts'
import { deleteCustomer, lockCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { deleteIdentityOf } from '../kyc/status.ts'
import { forgetAddresses } from '../mail/customer-emails.ts'
import { forgetLanguage } from '../mail/languages.ts'
import { endSessionsOf } from '../sessions/sessions.ts'
import { deleteAccountsOf } from '../visits/accounts.ts'
import { deleteVisitsOf } from '../visits/visits.ts'
import { deleteRemovalsOf } from '../wallets/removal.ts'
import { forgetTimeZone } from '../time-zones/time-zones.ts'
import { deleteWalletsOf } from '../wallets/wallets.ts'

/**
 * Deletes what the platform has about a customer. The audit log keeps that an account with this id was deleted; anchors
 * keep their own records, as the law asks of them, and can no longer read anything here.
 */
export async function deleteAccount({ database, clock }: Deps, customerId: string): Promise<void> {
  await database.db.transaction().execute(async tx => {
    await lockCustomer(tx, customerId)
    await endSessionsOf(tx, 'customer', customerId)
    await deleteVisitsOf(tx, customerId)
    await deleteAccountsOf(tx, customerId)
    await deleteRemovalsOf(tx, customerId)
    await deleteWalletsOf(tx, customerId)
    await deleteIdentityOf(tx, customerId)
    const address = await deleteCustomer(tx, customerId)
    await forgetLanguage(tx, address)
    await forgetTimeZone(tx, address)
    await forgetAddresses(tx, customerId)
    const subject = `customer:${customerId}`
    await record(tx, { actor: subject, action: 'customer.deleted', subject, details: {} }, clock.now())
  })
}
