import { catalogue } from '@windlass/ui/catalogue.ts'

export const keys = catalogue('keys', {
  title: 'API keys',
  lead: 'For programs that call your anchor’s API. A key works for this anchor only.',
  columns: {
    name: 'Name',
    prefix: 'Prefix',
    scopes: 'Scopes',
    lastUsed: 'Last used',
    state: 'Status',
    actions: 'Actions',
  },
  create: 'Create API key',
  name: {
    label: 'Name',
    hint: 'What the key is for, such as “nightly export”.',
    missing: 'Enter a name',
  },
  scopes: {
    label: 'Scopes',
    missing: 'Choose at least one scope',
    choices: {
      read: { label: 'Read', hint: 'Workspace, transactions, customers, quotes' },
      write: { label: 'Write', hint: 'Personal details and files of customers. Moves no money' },
      webhooks: { label: 'Webhooks', hint: 'Endpoints and deliveries' },
      statements: {
        label: 'Statements',
        hint: 'Moves money: uploads bank statements, which are believed',
      },
      'statement-lines': {
        label: 'Statement lines',
        hint: 'Moves money: decides what a bank line was, and sends money back',
      },
      'csv-columns': {
        label: 'CSV columns',
        hint: 'Moves money: says how amounts in CSV statements are read',
      },
      'ledger-incidents': {
        label: 'Ledger incidents',
        hint: 'Moves money: closes incidents, after which a payment may be made again',
      },
      agreements: {
        label: 'Agreements',
        hint: 'Moves money: decides which anchors may send direct payments',
      },
    },
  },
  expires: {
    label: 'Expires',
    choices: { never: 'Never', '30': 'After 30 days', '90': 'After 90 days', '365': 'After a year' },
  },
  never: 'Never used',
  active: 'Active',
  activeUntil: (when: string) => `Active until ${when}`,
  revoked: 'Revoked',
  expired: 'Expired',
  empty: { title: 'No API keys yet', detail: 'Create a key to call your anchor’s API.' },
  revealed: {
    title: 'Copy the key now',
    detail: 'The key is displayed once. We store only a hash of it.',
    what: 'the key',
    curl: 'Try it',
    curlWhat: 'the command',
    done: 'Done',
  },
  roll: 'Roll',
  rollWhat: (name: string) => `Roll ${name}`,
  rollTitle: (name: string) => `Roll “${name}”`,
  rollLead:
    'Creates a replacement key with the same name and scopes. The old key keeps working for a while, so you can switch without an outage.',
  overlap: {
    label: 'Old key expires',
    choices: {
      '0': 'Immediately',
      '3600': 'After an hour',
      '86400': 'After a day',
      '604800': 'After a week',
    },
  },
  confirmRoll: 'Create replacement key',
  revoke: 'Revoke',
  revokeWhat: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”`,
  revokeLead: 'Programs that use the key lose access immediately. This cannot be undone.',
  typeName: {
    label: (name: string) => `Type ${name} to confirm`,
    wrong: 'The name does not match',
  },
  confirmRevoke: 'Revoke key',
  failed: 'The key was not changed',
})
