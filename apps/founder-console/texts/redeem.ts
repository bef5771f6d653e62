export const redeem = {
  title: 'Raise your anchor',
  documentTitle: 'Redeem an invitation',
  leadFor: (company: string) => `For ${company}. Choose where your anchor lives; then we bring it up.`,
  validUntil: (when: string) => `Valid until ${when}, once.`,
  invitedAs: 'Invited as',
  subdomain: {
    label: 'Subdomain',
    hint: '3 to 63 small letters, digits and hyphens. It cannot be changed later.',
    checking: 'Checking whether it is free',
    free: 'Free. Your anchor will be at',
    unknown: 'It could not be checked just now; it is checked again when you send.',
    wrong: 'Use 3 to 63 small letters, digits and hyphens, starting and ending with a letter or digit',
    missing: 'Choose a subdomain',
  },
  fullName: { label: 'Your full name', hint: '', missing: 'Enter your full name' },
  password: {
    label: 'Password',
    hint: 'You sign in with a code by mail, not with this password. Keep it for acts that ask for it.',
    tooShort: 'The password needs at least 8 characters',
    tooLong: 'The password may have at most 256 characters',
  },
  send: 'Raise the anchor',
  failed: 'The invitation was not redeemed',
  none: {
    title: 'Redeem an invitation',
    lead: 'Open the link in the mail that approved your application, or paste it here.',
    label: 'Invitation link or token',
    missing: 'Paste the link or the token from your mail',
    go: 'Check the invitation',
  },
  refused: {
    unknown: {
      title: 'We do not know this invitation',
      detail: 'The link may have been cut off on its way. Copy the whole link from the mail and paste it.',
    },
    used: {
      title: 'This invitation has been used',
      detail:
        'It works once, and an anchor was raised with it. If that was you, the address of its progress page is in your history, and your workspace shows the anchor once you sign in.',
    },
    revoked: {
      title: 'This invitation was withdrawn',
      detail: 'If a newer mail has reached you, use the link in that one. Otherwise write to us.',
    },
    expired: {
      title: 'This invitation has expired',
      detail: 'Invitations are valid for seven days. Write to us and we send you a new one.',
    },
    gone: { title: 'This invitation cannot be used any more', detail: 'Write to us if you need a new one.' },
  },
  another: 'Use another link',
} as const
