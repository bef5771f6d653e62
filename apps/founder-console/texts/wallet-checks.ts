export const walletChecks = {
  title: 'Wallet compatibility',
  lead: 'Once a day the platform checks your anchor the way a new wallet uses it.',
  passed: (passed: number, total: number) =>
    passed === total ? `All ${total} checks passed` : `${passed} of ${total} checks passed`,
  checked: (when: string) => `Checked ${when}`,
  none: 'Not checked yet',
  check: 'Check now',
  checking: 'Checking…',
  failed: 'The check could not start',
  failedChecks: 'Failed checks',
  found: 'Found',
  seps: (numbers: string) => `SEP ${numbers}`,
  all: 'All checks',
  state: { passed: 'Passed', failed: 'Failed' },
} as const
