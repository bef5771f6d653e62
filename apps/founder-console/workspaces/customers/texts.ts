import { catalogue } from '@windlass/ui/catalogue.ts'

export const customers = catalogue('customers', {
  title: 'Customers',
  lead: 'Customers of your anchor and the status of their identity check. Their personal data stays with the anchor.',
  search: 'Search customers',
  columns: { account: 'Wallet', memo: 'Memo', since: 'Since', status: 'Identity' },
  statuses: {
    ACCEPTED: 'Verified',
    PROCESSING: 'Pending',
    REJECTED: 'Rejected',
    NEEDS_INFO: 'Not verified',
  } as Record<string, string>,
  detail: {
    title: 'Customer',
    id: 'Customer ID',
    checked: 'Identity check ended',
    names: 'Names',
    namesDiffer: 'Different',
    namesDifferHint:
      'The customer told a name unlike the one on their document. Both are compared with the sanctions lists. An API key with the scope write shows them.',
    held: 'Data that the anchor holds',
    heldHint: 'Only the names are shown here. The values need an API key with the scope write.',
    nothingHeld: 'None',
    tiers: 'Tier decisions',
    transactions: 'Latest transactions',
    allTransactions: 'All transactions of this wallet',
    noTransactions: 'No transactions yet',
  },
  empty: {
    title: 'No customers yet',
    filtered: 'No customer matches the filters',
    detail: 'A customer appears with their first deposit, withdrawal or SEP-12 request.',
  },
})
