/** What a catalogue may hold: words, sentences with gaps, and groups and lists of them. */
export interface Catalogue {
  readonly [name: string]: CatalogueEntry
}
type CatalogueEntry = string | ((...gaps: never[]) => string) | Catalogue | readonly CatalogueEntry[]

/** The words of the components themselves; everything else comes from the console that uses them. */
export const texts = {
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying. Select the text and copy it yourself.',
  optional: 'optional',
  show: 'Show',
  hide: 'Hide',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  errorSummary: 'There is a problem',
  retry: 'Retry',
  requestId: 'Request ID',
  loading: 'Loading',
  updatedReconnecting: (ago: string) => `Updated ${ago}, reconnecting`,
  offline: 'You are offline. Changes are sent when you are online again.',
  palette: {
    title: 'Go to',
    hint: 'Page or record',
    none: 'No page or record matches.',
    count: (found: number) => `${found} ${found === 1 ? 'result' : 'results'}`,
  },
  skipToContent: 'Skip to content',
  navigation: 'Main',
  remove: (what: string) => `Remove ${what}`,
  choose: 'Choose',
  close: 'Close',
  cancel: 'Cancel',
  theme: 'Colour scheme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  error: 'Error:',
  strength: ['Too short', 'Weak', 'Fair', 'Good', 'Strong'],
  passwordStrength: 'Password strength',
  loadingPage: 'Loading the page',
  reload: 'Reload page',
  pageError: {
    title: 'This page could not be displayed',
    detail: 'An error occurred on the page. Nothing you sent is lost. Reload the page to continue.',
  },
  newVersion: {
    title: 'A new version is available',
    detail: 'Windlass was updated while this page was open. Reload the page to continue.',
  },
  notFound: {
    title: 'Page not found',
    detail: 'There is no page at this address. Check the address, or go back to the start page.',
    home: 'Go to the start page',
  },
  list: { filter: 'Filter', all: 'All', showAll: 'Show all', search: 'Search', more: 'Show more' },
  json: { title: 'Raw JSON', copy: 'the JSON' },
  stageStatus: { pending: 'Waiting', running: 'Running', failed: 'Failed', completed: 'Done' },
  completedStage: 'Completed',
  attempt: (count: number) => `attempt ${count}`,
  log: {
    title: 'Log',
    filter: 'Filter the log',
    follow: 'Follow',
    pause: 'Pause',
    copy: 'the log',
    empty: 'No log lines yet.',
    noMatch: 'No line matches the filter.',
    lines: (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`,
  },
  chart: { table: 'Show figures', day: 'Day' },
  availability: {
    minute: (time: string, good: number, checks: number) => `${time}: ${good} of ${checks} checks passed`,
    none: (time: string) => `${time}: no checks`,
    unknown: 'No checks in the last hour',
    summary: (percentage: string) => `Available for ${percentage} of the last hour`,
    lastHour: 'Last hour',
    uptime: (percentage: string) => `${percentage} of checks passed`,
  },
} as const satisfies Catalogue
