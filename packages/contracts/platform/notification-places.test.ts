import { expect, it } from 'vitest'
import { placeOf } from './notification-places.ts'

it.each([
  ['payout-files', 'bank'],
  ['opening-balances', 'bank'],
  ['manual-entries', 'closing'],
  ['refused-messages', 'developers'],
  ['operator-actions', 'transactions'],
  ['unbound-orders', 'transactions'],
  ['rail-account-SEPA', 'settings'],
  ['a-ledger-incident', 'ledger'],
])('what waits as %s is decided on the page %s', (subject, page) => {
  expect(placeOf('review-waiting', subject, 'It waits.')).toEqual({ page })
})
