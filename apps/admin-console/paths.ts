/** Every address of this console; no page writes one by hand. */
const withQuery = (path: string, query: Record<string, string | undefined>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

export const paths = {
  home: () => '/',
  /** `from`: where to go on once signed in. */
  login: (from?: string) => withQuery('/login', { from: from === '/' ? undefined : from }),
  applications: (query: { status?: string; open?: string } = {}) => withQuery('/applications', query),
  jobs: (query: { status?: string; open?: string } = {}) => withQuery('/jobs', query),
  fleet: (query: { status?: string; open?: string } = {}) => withQuery('/fleet', query),
  routing: (decisionId?: string) => (decisionId ? `/routing/${encodeURIComponent(decisionId)}` : '/routing'),
  policy: () => '/policy',
  audit: (query: { subject?: string; actor?: string } = {}) => withQuery('/audit', query),
}

/** An address of this console that came from outside (`?from=`); anything else leads to the start. */
export function ownPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])/.test(text) ? text : paths.home()
}
