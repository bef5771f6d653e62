import { ownPath, withQuery } from '@windlass/ui/console/paths.ts'

export const applySteps = ['company', 'asset', 'rails', 'compliance', 'check'] as const
export type ApplyStep = (typeof applySteps)[number]

export const workspacePages = [
  '',
  'anchor',
  'transactions',
  'customers',
  'compliance',
  'settings',
  'treasury',
  'bank',
  'reconciliation',
  'closing',
  'ledger',
  'routing',
  'keys',
  'webhooks',
  'developers',
  'team',
  'notifications',
  'activity',
] as const
export type WorkspacePage = (typeof workspacePages)[number]

/** Every address of this console. */
export const paths = {
  home: () => '/',
  apply: (step?: ApplyStep) => (step ? `/apply/${step}` : '/apply'),
  submitted: (applicationId: string) => `/submitted/${encodeURIComponent(applicationId)}`,
  /** The token is in the fragment, which browsers send to no server. */
  redeem: (token?: string) => (token ? `/redeem#token=${encodeURIComponent(token)}` : '/redeem'),
  provisioning: (jobId: string) => `/provisioning/${encodeURIComponent(jobId)}`,
  /** `from`: the page to return to after sign-in. */
  signIn: (from?: string) => withQuery('/sign-in', { from }),
  singleSignOn: (from?: string) => withQuery('/single-sign-on', { from }),
  /** The page to return to after sign-in. */
  afterSignIn: (from: string | null) => ownPath(from, '/workspaces'),
  workspaces: () => '/workspaces',
  account: () => '/account',
  anchors: (query: { available?: string | undefined } = {}) => withQuery('/anchors', query),
  anchor: (anchorId: string) => `/anchors/${encodeURIComponent(anchorId)}`,
  workspace: (anchorId: string, page: WorkspacePage = '', query: Record<string, string | undefined> = {}) =>
    withQuery(`/workspaces/${encodeURIComponent(anchorId)}${page && `/${page}`}`, query),
}

/** The public address of an anchor: http for `localhost` and its subdomains, https otherwise. */
export function anchorUrl(homeDomain: string): string {
  const host = homeDomain.replace(/:\d+$/, '')
  return `${host === 'localhost' || host.endsWith('.localhost') ? 'http' : 'https'}://${homeDomain}`
}
