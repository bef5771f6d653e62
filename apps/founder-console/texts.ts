import { catalogue } from '@windlass/ui/catalogue.ts'

export const shell = catalogue('shell', {
  product: 'Windlass',
  anchors: 'Anchors',
  apply: 'Apply',
  redeem: 'Redeem',
  workspaces: 'Workspaces',
  account: 'Account',
  footer: 'Windlass runs Stellar anchors and routes payments to them.',
})

export const signIn = catalogue('signIn', {
  lead: 'We send a code to your email address. You need no password.',
  emailHint: 'The address that received your invitation.',
  emailWrong: 'Enter an email address such as name@company.example',
  sentLead: (email: string) =>
    `If ${email} has an account, we sent it a six-digit code. It is valid for five minutes.`,
})
