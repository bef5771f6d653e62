import type { ExportName } from '@windlass/contracts/platform/exports.ts'
import type { Difference, Reconciliation } from '@windlass/contracts/anchor/reconciliation.ts'
import { catalogue } from '@windlass/ui/catalogue.ts'

type Result = NonNullable<Reconciliation['last']>['checks'][number]['result']

export const texts = catalogue('reconciliation', {
  title: 'Reconciliation',
  lead: 'Journal, ledger and rails are compared every hour. A difference stays open until it is gone, or until you say why it needs nothing more.',
  compare: 'Compare now',
  failed: 'The comparison failed',
  last: (when: string) => `Last compared ${when}`,
  never: 'Not compared yet',
  results: {
    equal: 'Equal',
    different: 'Different',
    'not-checked': 'Not checked',
  } satisfies Record<Result, string>,
  kinds: {
    treasury: 'Distribution account',
    customers: 'Owed to customers',
    'bank-account': 'Bank account',
    'payout-open': 'Payout under way',
    'payout-unknown': 'Unknown payout',
    'payout-missing': 'Missing payout',
    'payout-amount': 'Amount of a payout',
  } satisfies Record<Difference['kind'], string>,
  states: { open: 'Open', resolved: 'Resolved', gone: 'Gone' } satisfies Record<Difference['status'], string>,
  open: {
    title: 'Open differences',
    lead: 'Find out what each one is, and correct its cause where you can.',
    empty: { title: 'No open differences', detail: 'Journal, ledger and rails agree.' },
    columns: {
      kind: 'Difference',
      amount: 'Amount',
      age: 'Found',
      assigned: 'Assigned to',
      detail: 'What differs',
      actions: 'Actions',
    },
    nobody: 'Nobody',
    edit: 'Edit',
    editWhat: (kind: string, amount: string) => `Edit ${kind}, ${amount}`,
  },
  ended: {
    title: 'Ended differences',
    lead: 'Resolved by a person, or gone by itself.',
    empty: { title: 'None yet', detail: 'Differences that ended appear here.' },
    columns: { kind: 'Difference', amount: 'Amount', status: 'Status', at: 'Ended', reason: 'Reason' },
    gone: 'A later comparison did not find it any more.',
  },
  form: {
    assign: { label: 'Assigned to', save: 'Assign', failed: 'The difference was not assigned' },
    resolve: {
      title: 'Resolve',
      lead: 'If the same difference is found again with another amount, it opens again.',
      reason: {
        label: 'Reason',
        hint: 'What it was, and what was done. Everyone in the organization can read it.',
        missing: 'Enter a reason.',
      },
      save: 'Resolve',
      failed: 'The difference was not resolved',
    },
  },
  exports: {
    title: 'Exports',
    lead: 'Records of a period, from the journal. Days are in UTC.',
    from: 'From',
    to: 'To',
    name: 'File',
    names: {
      'statement.pdf': 'Statement to print (PDF)',
      'journal.csv': 'Journal (CSV)',
      'journal.json': 'Journal (JSON)',
      'fees.csv': 'Fees earned (CSV)',
      'rail.camt.053.xml': 'Statement of a rail (camt.053)',
      'rail.ofx': 'Statement of a rail (OFX)',
    } satisfies Record<ExportName, string>,
    rail: 'Rail',
    download: 'Download',
    failed: 'The file was not made',
    day: 'Enter a day.',
    order: 'Must not be before the first day.',
  },
})
