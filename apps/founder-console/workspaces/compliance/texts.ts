import type { ScreenedRole } from '@windlass/contracts/anchor/compliance.ts'
import { catalogue } from '@windlass/ui/catalogue.ts'

export const texts = catalogue('compliance', {
  hits: {
    title: 'To review',
    lead: 'Names like those on a sanctions list, and transfers that exceed a velocity rule. Nothing is paid or sent back for them until you decide.',
    empty: {
      title: 'Nothing to review',
      detail: 'Names like those on your lists and transfers beyond your rules appear here.',
    },
    columns: {
      at: 'Found',
      name: 'Name',
      role: 'Role',
      entry: 'On the list or held',
      score: 'Score',
      status: 'Status',
    },
    statuses: { waiting: 'Pending review', cleared: 'Cleared', confirmed: 'Confirmed' },
    roles: {
      customer: 'Customer',
      organization: 'Customer’s organization',
      verified: 'Customer, by their document',
      payer: 'Payer',
      beneficiary: 'Beneficiary',
    } satisfies Record<ScreenedRole, string>,
  },
  hit: {
    title: 'Name on a sanctions list',
    fields: {
      name: 'Name',
      role: 'Role',
      entry: 'Name on the list',
      list: 'List',
      detail: 'The list says',
      score: 'Score',
      told: 'Name that the customer told',
      verified: 'Name on their document',
      holds: 'Transactions held',
    },
    unknownName: 'Not known',
    entryOf: (source: string, id: string) => `${source}, entry ${id}`,
    decisions: 'Decisions',
    decided: { clear: 'Cleared', confirm: 'Confirmed' },
    decision: {
      label: 'Is it the same person?',
      missing: 'Choose one.',
      clear: { label: 'No, clear it', hint: 'What it held continues.' },
      confirm: {
        label: 'Yes, confirm it',
        hint: 'It stays held. Another owner or admin alone can clear it later.',
      },
    },
    reason: { label: 'Reason', hint: 'Part of the case.', missing: 'Enter the reason.' },
    evidence: { label: 'Evidence', hint: 'What shows it, such as a date of birth or a document’s number.' },
    send: 'Save decision',
    failed: 'The decision was not saved',
    export: 'Export case',
    exportFailed: 'The case was not exported',
  },
  lists: {
    title: 'Sanctions lists',
    lead: 'Each list takes the place of its authority’s one before, and all names are compared again.',
    load: 'Load list',
    none: 'No list is loaded, so nothing is compared.',
    outdated: (count: number) =>
      count === 1 ? '1 name waits to be compared.' : `${count} names wait to be compared.`,
    empty: { title: 'No lists yet', detail: 'Download a list from its authority and load it here.' },
    columns: {
      at: 'Loaded',
      source: 'List',
      published: 'Published',
      entries: 'Entries',
      hash: 'SHA-256',
      status: 'Status',
    },
    current: 'Active',
    replaced: 'Replaced',
  },
  load: {
    title: 'Load list',
    file: {
      label: 'File',
      hint: 'OFAC’s SDN list (XML or CSV), or the consolidated list of the UN or the EU (XML), at most 48 MB.',
      missing: 'Choose a file.',
      tooLarge: 'The file has more than 48 MB.',
    },
    smaller: {
      label: 'Size',
      accept: 'Accept far fewer entries than before',
      hint: 'Only if the authority removed so many.',
    },
    send: 'Load',
    failed: 'The list was not loaded',
  },
  threshold: {
    title: 'Threshold',
    lead: (score: string) =>
      `Names count as alike from a score of ${score}. A lower threshold finds more names.`,
    change: 'Change threshold',
    label: 'Score',
    hint: (least: string) => `From ${least} to 1. Names are compared again.`,
    invalid: (least: string) => `Enter a number from ${least} to 1.`,
    send: 'Save',
    failed: 'The threshold was not changed',
  },
})
