import type { Catalogue } from '@windlass/ui/texts.ts'

export const audit = {
  title: 'Audit log',
  lead: 'Every change and who made it, newest first. Each entry holds the hash of the previous one.',
  columns: { at: 'Time', actor: 'Actor', action: 'Action', subject: 'Subject', details: 'Details' },
  empty: 'No entries yet',
  filtered: 'No entry matches the filter',
  only: (what: string) => `Only ${what}`,
  verify: 'Verify hash chain',
  whole: (entries: number) => `The hash chain is intact: ${entries} entries`,
  broken: (id: string) => `The hash chain is broken at entry ${id}`,
  failed: 'The hash chain was not verified',
} as const satisfies Catalogue
