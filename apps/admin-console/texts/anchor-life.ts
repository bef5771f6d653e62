/** What happens to an anchor after its birth. */
export const anchorLife = {
  failed: 'That did not work',
  cancel: 'Cancel',
  upgrades: {
    title: 'Software',
    unknown: 'Release not known',
    becomes: 'becomes',
    states: {
      waiting: 'Waiting',
      starting: 'Starting beside the old',
      switching: 'Switching over',
      succeeded: 'Upgraded',
      failed: 'Undone',
    },
    ask: 'Upgrade',
    lead: 'The new servers start beside the old ones and take over once they are healthy; else the old ones serve on.',
    version: {
      label: 'Release',
      hint: 'Empty: the platform’s own. Else the name of a checkout in its releases.',
    },
    image: { label: 'Image', hint: 'Where anchors run as containers: what both servers run from.' },
    confirm: 'Start the upgrade',
  },
  removal: {
    title: 'Removal',
    ask: 'Remove this anchor',
    lead: 'It is suspended, its data is exported, and then its servers, its database and its place in routing go for good. Its keys are kept.',
    reason: {
      label: 'Reason',
      hint: 'Shown in the audit and to the organization.',
      missing: 'Give a reason',
    },
    force: {
      label: 'Open transfers',
      choice: {
        value: 'force',
        label: 'Remove it even though transfers are open',
        hint: 'Customers may have money under way.',
      },
    },
    confirmName: {
      label: (subdomain: string) => `Type ${subdomain} to confirm`,
      wrong: 'This is not the anchor’s subdomain',
    },
    confirm: 'Remove for good',
    states: {
      requested: 'Removal asked for',
      exporting: 'Exporting its data',
      withdrawing: 'Export verified; leaving routing',
      dropping: 'Dropping its database',
      done: 'Removed',
      refused: 'Not removed: it stays suspended',
    },
    rows: 'Rows exported',
    checksum: 'SHA-256',
    download: (size: string) => `Download the export (${size})`,
  },
  events: {
    title: 'What the platform did',
    kinds: {
      'ledger-reset': 'Restored after a ledger reset',
      upgraded: 'Upgraded',
      'upgrade-failed': 'Upgrade undone',
      removed: 'Removed',
    },
  },
} as const
