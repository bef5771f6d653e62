import { ownPath, withQuery } from '@windlass/ui/console/paths.ts'

interface ListQuery {
  status?: string | undefined
  open?: string | undefined
}

/** Every address of this console. */
export const paths = {
  home: () => '/',
  /** `from`: the page to return to after sign-in. */
  login: (from?: string) => withQuery('/login', { from: from === '/' ? undefined : from }),
  singleSignOn: (from?: string) => withQuery('/single-sign-on', { from }),
  /** The page to return to after sign-in. */
  afterLogin: (from: string | null) => ownPath(from, '/'),
  applications: (query: ListQuery = {}) => withQuery('/applications', { ...query }),
  jobs: (query: ListQuery = {}) => withQuery('/jobs', { ...query }),
  fleet: (query: ListQuery = {}) => withQuery('/fleet', { ...query }),
  routing: (decisionId?: string) => (decisionId ? `/routing/${encodeURIComponent(decisionId)}` : '/routing'),
  policy: () => '/policy',
  emails: ({ open }: { open?: string | undefined } = {}) => withQuery('/emails', { open }),
  messages: () => '/messages',
  account: () => '/account',
  administrators: () => '/administrators',
  audit: (query: Record<string, string | undefined> = {}) => withQuery('/audit', query),
}
