import { catalogue } from '@windlass/ui/catalogue.ts'

export const texts = catalogue('velocity', {
  title: 'Velocity rules',
  lead: 'A transfer that exceeds a rule is held until you decide about it.',
  add: 'Add rule',
  empty: {
    title: 'No rules yet',
    detail: 'Transfers are counted, and nothing is held for their number or sum.',
  },
  caption: 'Velocity rules',
  columns: { rule: 'Held is', window: 'Within', actions: 'Actions' },
  /** What a rule holds. */
  rule: {
    'customer-count': (count: string) => `a customer’s transfer after ${count}`,
    'customer-sum': (_: string, amount: string) => `what brings a customer above ${amount}`,
    'account-count': (count: string) => `a bank account’s transfer after ${count}`,
    'account-sum': (_: string, amount: string) => `what brings a bank account above ${amount}`,
    'account-customers': (count: string) => `a transfer with a bank account of more than ${count} customers`,
    'below-limit': (count: string, amount: string) =>
      `a customer’s transfer just below ${amount}, after ${count} such transfers`,
    'in-and-out': (_: string, amount: string) =>
      `a withdrawal by which a customer took out more than ${amount} of what they deposited`,
  },
  window: (hours: number) =>
    hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : hours === 1 ? '1 hour' : `${hours} hours`,
  changed: (when: string) => `Last changed ${when}.`,
  remove: 'Remove',
  removeWhat: (rule: string) => `Remove the rule: ${rule}`,
  removing: {
    title: 'Remove rule?',
    lead: (rule: string) => `Nothing more is held by it: ${rule}. What it holds now still waits for you.`,
    send: 'Remove rule',
    failed: 'The rule was not removed',
  },
  form: {
    title: 'Add rule',
    kind: {
      label: 'What is counted',
      choices: {
        'customer-count': 'Number of a customer’s transfers',
        'customer-sum': 'Sum of a customer’s transfers',
        'account-count': 'Number of transfers of a bank account',
        'account-sum': 'Sum of transfers of a bank account',
        'account-customers': 'Customers with the same bank account',
        'below-limit': 'A customer’s transfers just below an amount',
        'in-and-out': 'What a customer deposits and withdraws again',
      },
    },
    hours: {
      label: 'Hours',
      hint: 'Any so many hours in a row, from 1 to 720 (30 days).',
      invalid: 'Enter a whole number from 1 to 720.',
    },
    count: {
      label: 'Most',
      hint: 'The next one is held.',
      invalid: 'Enter a whole number from 1 to 10,000.',
    },
    amount: {
      label: 'Amount',
      hint: 'What exceeds it is held.',
      below: 'Counted is what is at least nine tenths of it and less than it.',
    },
    send: 'Add rule',
    failed: 'The rule was not added',
  },
  hit: {
    title: 'Transfer beyond a rule',
    name: 'Velocity rule',
    role: 'Transaction',
    rule: 'Rule',
    counted: 'Counted',
    figures: (count: string, amount: string) => `${count}, together ${amount}`,
    figuresOfSeveral: (count: string, amount: string) => `${count} of several assets, ${amount} in this one`,
    transfers: 'Transfers counted',
    directions: { deposit: 'Deposit', withdrawal: 'Withdrawal' },
    decision: {
      label: 'Is there an explanation?',
      clear: { label: 'Yes, clear it', hint: 'What it held continues.' },
      confirm: {
        label: 'No, confirm it',
        hint: 'It stays held, and you can refund it. Another owner or admin alone can clear it later.',
      },
    },
  },
})
