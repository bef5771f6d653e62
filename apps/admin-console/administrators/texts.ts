import { catalogue } from '@windlass/ui/catalogue.ts'

export const roles = catalogue('roles', { viewer: 'Viewer', operator: 'Operator', owner: 'Owner' })

export const administrators = catalogue('administrators', {
  title: 'Administrators',
  lead: 'People who run this platform, and the role of each.',
  columns: {
    name: 'Administrator',
    role: 'Role',
    secondFactor: 'Second factor',
    lastSignIn: 'Last sign-in',
    since: 'Since',
    actions: 'Actions',
  },
  you: (name: string) => `${name} (you)`,
  fromSettings: 'Defined in the settings',
  secondFactor: { yes: 'Active', no: 'Missing' },
  notLately: 'Not in the last 30 days',
  email: {
    label: 'Email',
    hint: 'They receive a link that works once and expires after seven days.',
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
  changeLead: 'The new role applies from their next request.',
  reset: 'Reset second factor',
  resetOf: (name: string) => `Reset second factor of ${name}`,
  resetLead:
    'For someone who lost their second factor and every recovery code. Confirm who is asking, for example by calling a number that you know. Their sessions end.',
  reason: { label: 'Reason', hint: 'Recorded in the audit log.', missing: 'Enter a reason' },
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeLead: 'Their sessions end at once, and the invitations they sent stop working.',
  failed: 'The change was not saved',
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
    revokeOf: (email: string) => `Revoke the invitation for ${email}`,
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
      detail: 'It was already used, was revoked, or has expired. Ask an owner of the platform for a new one.',
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
})
