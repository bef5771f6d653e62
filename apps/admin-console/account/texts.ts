import { catalogue } from '@windlass/ui/catalogue.ts'

export const account = catalogue('account', {
  title: 'Account',
  signedInAs: (name: string, role: string) => `Signed in as ${name} · ${role}`,
  reset: {
    title: 'Reset an operator’s second factors',
    lead: 'For an operator who lost their second factor and every recovery code. Make sure that it is them, for example by a call to a number that you know. Their second factors are removed and their sessions end.',
    email: { label: 'Email of the operator', missing: 'Enter the email address' },
    reason: { label: 'Reason', hint: 'Recorded in the audit log.', missing: 'Enter a reason' },
    send: 'Reset second factors',
    done: (email: string) => `The second factors of ${email} were removed.`,
    unknown: 'No operator with this address has a second factor',
  },
  confirm: {
    password: { label: 'Password', missing: 'Enter your password', wrong: 'The password is wrong' },
    send: 'Continue',
  },
})
