import type { Catalogue } from '@windlass/ui/texts.ts'

export const roles = { viewer: 'Viewer', operator: 'Operator', owner: 'Owner' } as const

export const administrators = {
  title: 'Administrators',
  lead: 'Who administers this platform, and what each may do.',
  columns: {
    name: 'Administrator',
    role: 'Role',
    secondFactor: 'Second factor',
    lastSignIn: 'Last sign-in',
    since: 'Since',
    actions: 'Actions',
  },
  you: (name: string) => `${name} (you)`,
  fromSettings: 'Named by the settings',
  secondFactor: { yes: 'Yes', no: 'None' },
  notLately: 'Not in the last 30 days',
  email: {
    label: 'Email',
    hint: 'They receive a link that works once, for seven days.',
    missing: 'Enter an email address',
    known: 'This person is already an administrator',
  },
  role: {
    label: 'Role',
    hints: {
      viewer: 'Can see everything.',
      operator: 'Can also decide on applications, work on anchors and jobs, and change the routing policy.',
      owner: 'Can also invite, change and remove administrators.',
    },
  },
  invite: 'Invite administrator',
  invited: (email: string) => `Invitation sent to ${email}`,
  change: 'Change role',
  changeOf: (name: string) => `Change role of ${name}`,
  changeLead: 'The new role counts from their next request on.',
  reset: 'Reset second factor',
  resetOf: (name: string) => `Reset second factor of ${name}`,
  resetLead:
    'For someone who lost their second factor and every recovery code. Make sure that it is them, for example by a call to a number that you know. Their sessions end.',
  reason: { label: 'Reason', hint: 'Recorded in the audit log.', missing: 'Enter a reason' },
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeLead: 'Their sessions end at once, and the invitations they sent stop working.',
  failed: 'The administrators were not changed',
  invitations: {
    title: 'Open invitations',
    columns: {
      email: 'Email',
      role: 'Role',
      invitedBy: 'Invited by',
      expires: 'Expires',
      actions: 'Actions',
    },
    revoke: 'Revoke',
    revokeOf: (email: string) => `Revoke the invitation of ${email}`,
  },
  accept: {
    title: 'Accept your invitation',
    lead: (invitedBy: string, role: string) =>
      `${invitedBy} invites you to administer this platform as ${role}.`,
    invitedAs: 'You sign in as',
    name: { label: 'Full name', missing: 'Enter your name' },
    send: 'Create account',
    failed: 'The account was not created',
    gone: {
      title: 'This invitation cannot be used',
      detail: 'It was used, revoked or has expired. Ask an owner of the platform for a new one.',
    },
    none: 'Open the link in your invitation email.',
    done: 'Account created',
    doneDetail: 'Sign in with your email address and the password you chose.',
    signIn: 'Continue to sign in',
  },
  password: {
    title: 'Password',
    lead: 'Your other sessions end when you change it.',
    label: 'New password',
    hint: 'At least 12 characters, such as several unrelated words.',
    tooShort: 'Use at least 12 characters',
    tooLong: 'Use at most 256 characters',
    send: 'Change password',
    done: 'Password changed',
  },
} as const satisfies Catalogue
