import { catalogue } from '@windlass/ui/catalogue.ts'

export const texts = catalogue('transactionActions', {
  title: 'Actions',
  kinds: { cancel: 'Cancel', refund: 'Refund', resend: 'Resend', 'mark-paid': 'Mark as paid' },
  statuses: { waiting: 'Pending approval', done: 'Done', rejected: 'Rejected' },
  requested: (who: string) => `Asked for by ${who}`,
  approved: (who: string) => `Approved by ${who}`,
  rejected: (who: string) => `Rejected by ${who}`,
  payment: (id: string) => `Payment ${id}`,
  own: 'Another owner or admin approves it.',
  approve: 'Approve',
  approveWhat: (action: string) => `Approve: ${action}`,
  reject: 'Reject',
  rejectWhat: (action: string) => `Reject: ${action}`,
  decisionFailed: 'The decision was not recorded',
  kind: 'Action',
  kindMissing: 'Choose an action.',
  hints: {
    cancel: 'Ends the transaction. Money that still comes goes back.',
    refund: 'Sends the customer’s payment back: a deposit over the rail, a withdrawal on the ledger.',
    resend: 'Tries at once what waits, under the same id.',
    'mark-paid': 'Records a payment that you have seen and the rail did not report.',
  },
  paymentId: {
    label: 'ID of the payment',
    hint: 'As the bank or provider names it. It is your evidence.',
    missing: 'Enter the ID of the payment.',
  },
  reason: {
    label: 'Reason',
    hint: 'For your team and the audit log.',
    missing: 'Enter the reason.',
  },
  send: 'Run action',
  failed: 'The action was not done',
})
