import { scores } from '@windlass/contracts/routing.ts'

export const policy = {
  title: 'Routing policy',
  lead: 'How much each score counts when the best anchor is chosen. The weights sum to 1.',
  sum: (sum: string) => `Sum ${sum}`,
  sumWrong: 'The weights must sum to exactly 1',
  weightWrong: (name: string) => `${name}: enter a number from 0 to 1 with at most 6 decimals`,
  name: { label: 'Name of this version', hint: 'So that the history says why.' },
  replay: 'Try on past decisions',
  save: 'Save and make active',
  saved: (version: number) => `Version ${version} is active`,
  failed: 'That did not work',
  replayed: {
    title: 'On past decisions',
    none: 'There are no past decisions yet: nothing to compare.',
    changed: (changed: number, all: number) =>
      changed === 0
        ? `All ${all} decisions would have gone the same way.`
        : `${changed} of ${all} decisions would have gone to another anchor.`,
    columns: { anchor: 'Anchor', before: 'Won', after: 'Would win', change: 'Change' },
  },
  history: {
    title: 'History',
    columns: {
      version: 'Version',
      name: 'Name',
      weights: scores.map(({ label }) => label).join(' / '),
      created: 'Made',
      state: 'State',
    },
    active: 'Active',
    activate: (version: number) => `Make version ${version} active`,
    before: 'Earlier',
  },
} as const
