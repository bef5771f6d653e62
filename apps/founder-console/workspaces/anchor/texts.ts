import { catalogue } from '@windlass/ui/catalogue.ts'

export const walletChecks = catalogue('walletChecks', {
  title: 'Wallet compatibility',
  lead: 'Once a day Windlass checks your anchor from outside, as a new wallet would.',
  passed: (passed: number, checks: number) =>
    passed === checks ? `All ${checks} checks passed` : `${passed} of ${checks} checks passed`,
  checked: (when: string) => `Checked ${when}`,
  none: 'Not checked yet',
  check: 'Check now',
  checking: 'Checking…',
  failed: 'The check did not start',
  failedChecks: 'Failed checks',
  found: 'Found',
  sep: (number: string) => `SEP-${number}`,
  all: 'All checks',
  state: { passed: 'Passed', failed: 'Failed' },
})

export const signing = catalogue('signing', {
  title: 'Signing',
  lead: 'Your anchor’s servers have no keys: the signer signs their payments within these limits.',
  change: 'Change limits',
  save: 'Save limits',
  failed: 'The limits were not changed',
  perHour: {
    label: 'Per hour',
    hint: 'Payments beyond it wait until older ones are an hour old. With 0 all wait.',
  },
  perPayment: { label: 'Per payment', hint: 'Leave it empty for no limit of its own.' },
  xlmPerHour: { label: 'XLM per hour', hint: 'For XLM that customers sent by mistake.' },
  destinations: {
    label: 'Destinations',
    hint: 'The only accounts that may be paid, one in a line. Leave it empty for any account.',
    invalid: 'Enter accounts that begin with G or C.',
  },
  used: (signed: string, limit: string) => `${signed} of ${limit} signed in the last hour`,
  none: 'No limit',
  any: 'Any account',
  stopped: 'Stopped requests',
  nothingStopped: 'None in the last 30 days',
  servers: { sep: 'SEP server', business: 'business server' },
  requests: (count: number, server: string, when: string) =>
    `${count} ${count === 1 ? 'request' : 'requests'} of the ${server}, last ${when}`,
})
