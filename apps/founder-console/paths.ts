/** Every address of this console; no page writes one by hand. */
export const applySteps = ['company', 'asset', 'rails', 'compliance', 'check'] as const
export type ApplyStep = (typeof applySteps)[number]

export const paths = {
  home: () => '/',
  apply: (step: ApplyStep = 'company') => `/apply/${step}`,
  submitted: (applicationId: string) => `/submitted/${encodeURIComponent(applicationId)}`,
  redeem: (token?: string) => (token ? `/redeem#token=${encodeURIComponent(token)}` : '/redeem'),
  provisioning: (jobId: string) => `/provisioning/${encodeURIComponent(jobId)}`,
  signIn: (from?: string) => (from ? `/sign-in?from=${encodeURIComponent(from)}` : '/sign-in'),
  workspaces: () => '/workspaces',
  workspace: (
    anchorId: string,
    page: '' | 'transactions' | 'customers' | 'routing' | 'keys' | 'team' | 'activity' = '',
  ) => `/workspaces/${encodeURIComponent(anchorId)}${page && `/${page}`}`,
}

/** An address of this console that came from outside (`?from=`); anything else leads to the workspaces. */
export const ownPath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])/.test(text) ? text : paths.workspaces()
