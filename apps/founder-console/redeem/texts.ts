import { catalogue } from '@windlass/ui/catalogue.ts'

export const redeem = catalogue('redeem', {
  title: 'Launch your anchor',
  documentTitle: 'Redeem an invitation',
  leadFor: (company: string) => `For ${company}. Choose a subdomain, then we set up the anchor.`,
  validUntil: (when: string) => `Valid until ${when}. Works once.`,
  invitedAs: 'Invited as',
  subdomain: {
    label: 'Subdomain',
    hint: '3 to 63 lower-case letters, digits and hyphens. You cannot change it later.',
    checking: 'Checking availability',
    available: 'Available. Your anchor’s address:',
    unknown: 'Availability could not be checked. It is checked again when you continue.',
    tooShort: (length: number) =>
      `Add at least ${3 - length} more ${length === 2 ? 'character' : 'characters'}`,
    badCharacter: (character: string) =>
      `“${character}” is not allowed. Use lower-case letters, digits and hyphens.`,
    hyphenAtEnd: 'Start and end with a letter or digit, not with a hyphen',
    missing: 'Enter a subdomain',
  },
  fullName: { label: 'Your full name', missing: 'Enter your full name' },
  password: {
    label: 'Password',
    hint: 'You sign in with a code sent by email. The password confirms sensitive changes.',
    tooShort: 'Use at least 8 characters',
    tooLong: 'Use at most 256 characters',
  },
  send: 'Launch anchor',
  failed: 'The invitation was not redeemed',
  none: {
    title: 'Redeem an invitation',
    lead: 'Open the link in the email that approved your application, or paste it here.',
    label: 'Invitation link or token',
    missing: 'Paste the link or the token from your email',
    go: 'Continue',
  },
  refused: {
    unknown: {
      title: 'Invitation not found',
      detail: 'The link may be incomplete. Copy the whole link from the email and paste it.',
    },
    used: {
      title: 'Invitation already used',
      detail:
        'An invitation works once, and this one launched an anchor. If that was you, sign in to find the anchor in your workspaces.',
    },
    revoked: {
      title: 'Invitation revoked',
      detail: 'If you received a newer email, use its link. Otherwise contact us.',
    },
    expired: {
      title: 'Invitation expired',
      detail: 'Invitations are valid for seven days. Contact us to receive a new one.',
    },
    gone: { title: 'Invitation no longer valid', detail: 'Contact us to receive a new one.' },
  },
  another: 'Use another link',
})
