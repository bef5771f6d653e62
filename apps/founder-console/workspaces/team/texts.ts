import { catalogue } from '@windlass/ui/catalogue.ts'

export const team = catalogue('team', {
  title: 'Team',
  lead: (organization: string) => `Members of ${organization}. A role applies to all of its anchors.`,
  columns: { name: 'Name', email: 'Email', role: 'Role', since: 'Since', actions: 'Actions' },
  you: (name: string) => `${name} (you)`,
  add: 'Add member',
  email: {
    label: 'Email',
    hint: 'They are notified by email and sign in with a code.',
    missing: 'Enter an email address',
    known: 'This person is already a member',
  },
  name: 'Full name',
  role: {
    label: 'Role',
    hints: {
      member: 'Can view everything.',
      admin: 'Can also manage API keys and add members.',
      owner: 'Can also add owners. There is always at least one.',
    },
  },
  change: 'Change role',
  changeWhat: (name: string) => `Change role of ${name}`,
  changeTitle: (name: string) => `Change role of ${name}`,
  remove: 'Remove',
  removeWhat: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}`,
  removeLead: 'They lose access to this organization. API keys they created keep working.',
  leave: 'Leave',
  leaveTitle: 'Leave the organization',
  leaveLead: 'You lose access to this organization until someone adds you again.',
  failed: 'The team was not changed',
})
