import { catalogue } from '@windlass/ui/catalogue.ts'

export const signIn = catalogue('signIn', {
  lead: 'We send a code to your email address. You need no password.',
  emailHint: 'The address that received your invitation.',
  emailWrong: 'Enter an email address such as name@company.example',
  sentLead: (email: string) =>
    `If ${email} has an account, we sent it a six-digit code. It is valid for five minutes.`,
})
