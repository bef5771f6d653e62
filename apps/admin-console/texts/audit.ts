export const audit = {
  title: 'Audit',
  lead: 'What was done and by whom, newest first. Each entry carries the hash of the one before.',
  columns: { at: 'When', actor: 'Who', action: 'What', subject: 'On', details: 'Details' },
  empty: 'Nothing has been written down yet',
  filtered: 'Nothing fits this filter',
  showAll: 'Show all',
  only: (what: string) => `Only ${what}`,
  verify: 'Verify the chain',
  whole: (entries: number) => `The chain is whole: ${entries} entries`,
  broken: (id: string) => `The chain breaks at entry ${id}`,
  failed: 'It could not be verified',
} as const
