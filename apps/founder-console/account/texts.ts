import { catalogue } from '@windlass/ui/catalogue.ts'

export const account = catalogue('account', {
  title: 'Account',
  signedInAs: (email: string) => `Signed in as ${email}`,
  confirm: {
    send: 'Send code',
    sent: (email: string) => `We sent a code to ${email}.`,
    proof: {
      label: 'Code or password',
      hint: 'The code from the email, or the password you chose with your invitation.',
      missing: 'Enter the code or your password',
      wrong: 'The code or password is wrong. Request a new code and retry.',
    },
    confirm: 'Continue',
    failed: 'Your identity was not confirmed',
  },
})
