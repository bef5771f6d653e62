import type { Realm } from '@windlass/contracts/realm.ts'

/** One document: an audience, and which endpoints of which contracts are for it. */
export interface DocumentPlan {
  /** The file's name below docs/api, and what a service serves at `/openapi.json`. */
  name: string
  title: string
  description: string
  /** Contract files, in the order in which the document shows them, each with its tag. */
  modules: Readonly<Record<string, { tag: string; description: string }>>
  realms: readonly Realm[]
  servers: readonly { url: string; description: string; variables?: Record<string, { default: string }> }[]
  /** Errors outside the SEPs are problem documents. */
  errors: 'problem' | 'sep'
  /** Where the file's paths do not say which service they belong to: that of a path's beginning. */
  servedBy?: readonly { prefix: RegExp; url: string; description: string }[]
}

const SHARED =
  'Paging, idempotency, limits and errors are the same everywhere: see docs/api/style.md. Each answer carries `X-Request-Id`; give it to us when something is wrong.'

const anchorHost = { subdomain: { default: 'acme' } }
const platform = 'http://localhost:4000'

/** Every document that we publish. An endpoint that belongs to none fails a test. */
export const documents: readonly DocumentPlan[] = [
  {
    name: 'wallet',
    title: 'Windlass: an anchor, for wallets',
    description: `The Stellar protocols that every anchor serves at its home domain: SEP-10, SEP-45, SEP-12, SEP-24, SEP-38, SEP-6, SEP-31 and SEP-2, and a sandbox beside them. The addresses are in its stellar.toml (SEP-1). Errors are the SEPs' own: \`{"error"}\`. ${SHARED}`,
    modules: {
      sep10: { tag: 'SEP-10', description: 'Logs a wallet in' },
      sep45: { tag: 'SEP-45', description: 'Logs a contract account in' },
      sep12: { tag: 'SEP-12', description: 'Details and status of customers' },
      sep24: { tag: 'SEP-24', description: "Deposits and withdrawals on the anchor's own pages" },
      sep38: { tag: 'SEP-38', description: 'Prices and quotes' },
      sep6: { tag: 'SEP-6', description: 'Deposits and withdrawals by API' },
      sep31: { tag: 'SEP-31', description: 'Direct payments from other anchors' },
      sep2: { tag: 'SEP-2', description: 'Names of customers' },
      sandbox: { tag: 'Sandbox', description: 'What else happens at a bank, where rails are simulated' },
    },
    realms: ['public', 'wallet'],
    servers: [
      {
        url: 'http://{subdomain}.anchors.localhost',
        description: 'An anchor on your own machine',
        variables: anchorHost,
      },
    ],
    errors: 'sep',
  },
  {
    name: 'aggregator',
    title: 'Windlass: the aggregator',
    description: `Finds, compares and quotes anchors, and hands a wallet over to the one it selects. ${SHARED}`,
    modules: {
      registry: { tag: 'Anchors', description: 'The registry and the health of anchors' },
      quotes: { tag: 'Quotes', description: 'What a transaction costs' },
      routing: { tag: 'Routing', description: 'Which anchor is best, and why' },
      handoff: { tag: 'Transactions', description: "The selected anchor's addresses" },
      trustlines: { tag: 'Transactions', description: "The selected anchor's addresses" },
      'signed-logins': {
        tag: 'Signed logins',
        description: 'A challenge that is signed in a wallet elsewhere',
      },
      'wallet-webhooks': { tag: 'Webhooks', description: "Keys and webhooks of wallets' developers" },
      'transfer-plans': { tag: 'Transfer plans', description: 'From rail to rail, over two anchors' },
    },
    realms: ['public', 'wallet-developer'],
    servers: [{ url: 'http://localhost:3005', description: 'The aggregator on your own machine' }],
    errors: 'problem',
  },
  {
    name: 'developer',
    title: "Windlass: an anchor's API, for its founder's developers",
    description: `Transactions, customers, quotes, webhooks and incidents of one anchor, with an API key that its organization creates in the console. ${SHARED}`,
    modules: {
      'developer-api': { tag: 'Anchor', description: 'Records and webhooks of one anchor' },
      'api-requests': { tag: 'Anchor', description: 'Records and webhooks of one anchor' },
      'refused-anchor-messages': { tag: 'Anchor', description: 'Records and webhooks of one anchor' },
      'sending-anchors': { tag: 'Sending anchors', description: 'Who may send direct payments (SEP-31)' },
      'returned-payments': {
        tag: 'Bank files',
        description: 'Statements of bank accounts, and what their lines are for',
      },
      'bank-accounts': {
        tag: 'Bank files',
        description: 'Statements of bank accounts, and what their lines are for',
      },
      'bank-files': {
        tag: 'Bank files',
        description: 'Statements of bank accounts, and what their lines are for',
      },
      'payout-files': {
        tag: 'Bank files',
        description: 'Statements of bank accounts, and what their lines are for',
      },
      compliance: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      retention: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      evidence: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'blocked-property': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      velocity: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'report-settings': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'beneficial-owners': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      registers: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'outside-checks': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'risk-rating': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'country-rules': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      cases: {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'travel-rule': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      'travel-messages': {
        tag: 'Compliance',
        description: 'Sanctions lists, velocity rules, what they hold, and the travel rule',
      },
      reconciliation: {
        tag: 'Reconciliation',
        description: 'Differences between journal, ledger and rails',
      },
      journal: { tag: 'Journal', description: 'Accounts of the journal' },
      'manual-entries': { tag: 'Journal', description: 'Accounts of the journal' },
      exports: { tag: 'Exports', description: 'Records of a period as files' },
      reserves: { tag: 'Reserves', description: 'What the anchor owes and holds, signed' },
      kyc: { tag: 'Anchor', description: 'Records and webhooks of one anchor' },
    },
    realms: ['public', 'developer'],
    servers: [
      {
        url: 'http://{subdomain}.anchors.localhost',
        description: 'An anchor on your own machine',
        variables: anchorHost,
      },
    ],
    errors: 'problem',
  },
  {
    name: 'platform',
    title: 'Windlass: the platform, for founders, operators, administrators and customers',
    description: `What the consoles call: onboarding, workspaces, administration and the customer portal. Sessions are cookies; a write with one is accepted from the consoles' origins only. ${SHARED}`,
    modules: {
      applications: { tag: 'Applications', description: "A founder's application and its review" },
      invitations: { tag: 'Invitations', description: 'How an approved founder begins' },
      provisioning: { tag: 'Provisioning', description: 'How far an anchor is' },
      operators: { tag: 'Operators', description: 'Signing in to workspaces' },
      'second-factors': {
        tag: 'Second factors',
        description: 'Passkeys, authenticator apps and recovery codes',
      },
      'single-sign-on': {
        tag: 'Single sign-on',
        description: 'Signing in by an OpenID Connect provider',
      },
      'access-review': { tag: 'Members', description: 'Who works in an organization' },
      members: { tag: 'Members', description: 'Who works in an organization' },
      workspaces: { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      notifications: {
        tag: 'Notifications',
        description: 'What people are notified of, by email and webhook',
      },
      'developer-requests': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-records': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'anchor-settings': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'waiting-acts': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'rail-changes': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'operator-actions': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-cases': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-report-settings': {
        tag: 'Workspaces',
        description: 'An anchor as its organization sees it',
      },
      'workspace-beneficial-owners': {
        tag: 'Workspaces',
        description: 'An anchor as its organization sees it',
      },
      'workspace-registers': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-compliance': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'refused-anchor-messages': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-sending-anchors': {
        tag: 'Workspaces',
        description: 'An anchor as its organization sees it',
      },
      'returned-payments': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-bank-accounts': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-bank-files': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      exports: { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-reconciliation': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'manual-entries': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-api-requests': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'workspace-journal': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'wallet-checks': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'test-deposits': { tag: 'Workspaces', description: 'An anchor as its organization sees it' },
      'api-keys': { tag: 'API keys', description: "Keys for an anchor's API" },
      'administrator-accounts': { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      administrators: { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      'admin-home': { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      'refused-messages': { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      volume: { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      'admin-routing': { tag: 'Administrators', description: 'Anchors, jobs, routing and audit' },
      'anchor-life': { tag: 'Anchors', description: 'Upgrades, removals and events of an anchor' },
      'time-zones': { tag: 'Time zones', description: 'In which time zone your screens show times' },
      emails: { tag: 'Emails', description: 'What the platform emails, and in which language' },
      customers: { tag: 'Customers', description: 'The customer portal' },
      kyc: { tag: 'Customers', description: 'The customer portal' },
    },
    realms: ['public', 'operator', 'admin', 'customer'],
    servers: [{ url: platform, description: 'The platform API on your own machine' }],
    errors: 'problem',
  },
  {
    name: 'internal',
    title: 'Windlass: between services',
    description: `What services and anchors call of each other with \`x-service-secret\`. Not reachable from outside and free to change with a release. ${SHARED}`,
    modules: {
      notifications: {
        tag: 'Notifications',
        description: 'What people are notified of, by email and webhook',
      },
      internal: { tag: 'Anchors to the platform', description: 'Customers, their status and their wallets' },
      'api-keys': {
        tag: 'Anchors to the platform',
        description: 'Customers, their status and their wallets',
      },
      'control-plane': { tag: 'Control plane', description: 'Provisioning, upgrades and removals' },
      'wallet-checks': { tag: 'Control plane', description: 'Provisioning, upgrades and removals' },
      'test-deposits': { tag: 'Control plane', description: 'Provisioning, upgrades and removals' },
      registry: { tag: 'Aggregator', description: 'Registration and routing policies' },
      routing: { tag: 'Aggregator', description: 'Registration and routing policies' },
      'business-server': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'anchor-settings': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'operator-actions': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      compliance: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      retention: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      cases: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'report-settings': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'beneficial-owners': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      registers: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'outside-checks': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'risk-rating': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'country-rules': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'travel-rule': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'travel-messages': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'sending-anchors': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'returned-payments': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'bank-accounts': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'bank-files': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'payout-files': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      journal: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      'manual-entries': { tag: 'Anchor', description: 'State and treasury of one anchor' },
      reconciliation: { tag: 'Anchor', description: 'State and treasury of one anchor' },
      signer: { tag: 'Signer', description: "Keys of anchors' accounts, and what is signed with them" },
      'proxy-routes': { tag: 'Reverse proxy', description: 'Which host is served by what' },
    },
    realms: ['internal', 'service', 'anchor-admin', 'anchor-server'],
    servers: [{ url: platform, description: 'The platform API on your own machine' }],
    errors: 'problem',
    servedBy: [
      { prefix: /^\/api\//, url: platform, description: 'Platform API' },
      { prefix: /^\/(jobs|anchors\/:anchorId)/, url: 'http://localhost:3002', description: 'Control plane' },
      {
        prefix: /^\/admin\/summary/,
        url: 'http://localhost:20001',
        description: "An anchor's business server",
      },
      { prefix: /^\/signer\//, url: 'http://localhost:8002', description: 'Signer' },
      { prefix: /^\/routes/, url: 'http://localhost:8090', description: 'Reverse proxy' },
      { prefix: /^\//, url: 'http://localhost:3005', description: 'Aggregator' },
    ],
  },
]
