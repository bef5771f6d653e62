import { catalogue } from '@windlass/ui/catalogue.ts'

export const events = catalogue('events', {
  title: 'Platform events',
  lead: 'Changes the platform made to your anchor, newest first.',
  columns: { at: 'Time', kind: 'Event', detail: 'Details' },
  kinds: {
    'ledger-reset': 'Restored after a ledger reset',
    upgraded: 'Upgraded',
    'upgrade-failed': 'Upgrade rolled back',
    'secrets-rotated': 'Secrets rotated',
    removed: 'Removed',
  },
})

export const activity = catalogue('activity', {
  title: 'Activity',
  lead: 'Changes to this anchor and who made them, newest first.',
  columns: { at: 'Time', action: 'Action', details: 'Details' },
  actors: {
    system: 'Windlass',
    public: 'A visitor',
    key: (name: string) => `The API key “${name}”`,
    admin: (name: string) => `Administrator ${name}`,
    member: 'A former member',
  },
  empty: 'No activity yet',
})
