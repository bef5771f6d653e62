import { catalogue } from '@windlass/ui/catalogue.ts'

export const submitted = catalogue('submitted', {
  title: 'Application sent',
  lead: 'We received your application. Keep its ID and include it when you contact us.',
  id: 'Application ID',
  mailTo: (email: string) => `We will reply to ${email}.`,
  warningsTitle: 'Before you continue',
  warnings: {
    'authorization-required': (code: string) =>
      `The issuer of ${code} authorizes each account that holds it. Ask it to authorize your anchor once it is set up.`,
    revocable: (code: string) => `The issuer of ${code} can freeze what your anchor holds.`,
    clawback: (code: string) => `The issuer of ${code} can take back what your anchor holds.`,
  },
  nextTitle: 'What happens next',
  next: [
    { title: 'We review it', detail: 'An administrator checks your company, rails and licence.' },
    {
      title: 'You get an email',
      detail:
        'If it is approved, the email holds an invitation that is valid for seven days and works once. If not, it gives the reason.',
    },
    {
      title: 'You launch the anchor',
      detail: 'Redeem the invitation, choose a subdomain and watch the setup.',
    },
  ],
  again: 'Send another application',
  haveInvitation: 'Redeem an invitation',
})
