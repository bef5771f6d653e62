import { catalogue } from '@windlass/ui/catalogue.ts'

/** Texts of the last step alone, so that the others need not load them. */
export const check = catalogue('check', {
  send: 'Send application',
  change: 'Change',
  changeWhat: (what: string) => `Change ${what}`,
  notGiven: 'Not given',
  credentialsKept: 'Given. Stored in the secrets store and never displayed again.',
  declaration:
    'By sending the application you confirm that you may apply for this company and that your answers are true.',
  submitFailed: 'The application was not sent',
})
