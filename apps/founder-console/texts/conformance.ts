export const conformance = {
  title: 'What wallets demand',
  lead: 'Once a day the platform visits your anchor as a wallet that nobody knows would.',
  met: (passed: number, demands: number) =>
    passed === demands ? `All ${demands} demands met` : `${passed} of ${demands} demands met`,
  checked: (when: string) => `Checked ${when}`,
  none: 'Not checked yet',
  check: 'Check now',
  checking: 'Checking…',
  failed: 'The anchor could not be checked',
  unmet: 'Not met',
  found: 'Found',
  seps: (numbers: string) => `SEP ${numbers}`,
  all: 'All demands',
  state: { met: 'Met', unmet: 'Not met' },
} as const
