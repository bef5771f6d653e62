import { catalogue } from '@windlass/ui/catalogue.ts'

export const transactions = catalogue('transactions', {
  title: 'Transactions',
  lead: 'Your deposits and withdrawals at the anchors you use, over the wallets that are proven to be yours.',
  search: 'Find transactions',
  columns: {
    kind: 'Type',
    anchor: 'Anchor',
    amount: 'Ledger amount',
    railAmount: 'Bank amount',
    at: 'Created',
    status: 'Status',
  },
  kinds: { deposit: 'Deposit', withdrawal: 'Withdrawal' },
  fields: {
    fee: 'Fee',
    updated: 'Last change',
    wallet: 'Wallet',
    ledger: 'Ledger transaction',
    id: 'Transaction ID',
  },
  statuses: {
    new: 'Created',
    identifying: 'Verifying identity',
    awaiting_funds: 'Awaiting your payment',
    funded: 'Payment received',
    awaiting_trust: 'Awaiting trustline',
    paying_out: 'Paying out',
    completed: 'Completed',
    sent_back: 'Sent back by your bank',
    returning: 'Refunding',
    returned: 'Refunded',
    expired: 'Expired',
    failed: 'Failed',
  } as Record<string, string>,
  unavailable: {
    title: (names: string) => `No answer from ${names}`,
    detail: 'Transactions there are missing from this list. They are safe: retry in a minute.',
  },
  empty: {
    title: 'No transactions yet',
    filtered: 'No transaction matches the filters',
    detail: 'When you deposit or withdraw at an anchor with a proven wallet, it appears here.',
  },
})
