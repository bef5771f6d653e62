import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import { catalogue } from '@windlass/ui/catalogue.ts'

export const workspace = catalogue('workspace', {
  list: {
    title: 'Workspaces',
    lead: 'Each anchor has its own workspace.',
    signedInAs: (email: string) => `Signed in as ${email}`,
    empty: {
      title: 'No anchors yet',
      detail: 'After your application is approved, redeem the invitation. Your anchor appears here.',
      apply: 'Apply for an anchor',
    },
    roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
  },
  signOut: 'Sign out',
  status: {
    draft: 'Draft',
    provisioning: 'Provisioning',
    active: 'Active',
    suspended: 'Suspended',
    removed: 'Removed',
    error: 'Failed',
  } satisfies Record<AnchorStatus, string>,
  tabs: {
    overview: 'Overview',
    anchor: 'Anchor',
    transactions: 'Transactions',
    customers: 'Customers',
    settings: 'Settings',
    treasury: 'Treasury',
    compliance: 'Compliance',
    bank: 'Bank files',
    reconciliation: 'Reconciliation',
    ledger: 'Ledger',
    routing: 'Routing',
    keys: 'API keys',
    webhooks: 'Webhooks',
    developers: 'Developers',
    team: 'Team',
    notifications: 'Notifications',
    activity: 'Activity',
  },
  groups: { business: 'Business', anchor: 'Anchor', developers: 'Developers' },
  navigation: 'Workspace',
  all: 'All workspaces',
  palette: { page: 'Page', anchor: 'Anchor' },
  notFound: 'None of your organizations has an anchor with this ID.',
})
