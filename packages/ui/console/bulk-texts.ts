import { catalogue } from '../catalogue.ts'

export const bulk = catalogue('bulk', {
  title: 'Selected rows',
  select: 'Select',
  selectRow: (name: string) => `Select ${name}`,
  chosen: (count: number) => `${count} selected`,
  act: (action: string, count: number) => `${action} (${count})`,
  clear: 'Clear selection',
  results: 'Results',
  hide: 'Hide results',
  failed: 'Failed',
  skipped: 'Not changed',
})
