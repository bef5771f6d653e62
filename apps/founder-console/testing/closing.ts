import type { JournalEntry } from '@windlass/contracts/anchor/developer-api.ts'
import type { Period } from '@windlass/contracts/anchor/journal.ts'
import { listWorkspaceManualEntries } from '@windlass/contracts/anchor/manual-entries.ts'
import { listWorkspaceEntries } from '@windlass/contracts/platform/workspace-records.ts'
import * as contracts from '@windlass/contracts/platform/workspace-journal.ts'
import type { FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const period: Period = {
  ...{ kind: 'month', from: '2026-10-01', to: '2026-10-31', timeZone: 'Asia/Kolkata' },
  balances: [
    { account: 'interest', unit: 'EUR', opening: '0', closing: '-9' },
    { account: 'rail:SEPA', unit: 'EUR', opening: '100', closing: '109' },
  ],
  open: [
    {
      ...{ kind: 'lines-undecided', count: 1, amounts: [{ unit: 'EUR', amount: '4' }], about: ['line_1'] },
      rows: [{ about: 'line_1', day: '2026-10-30', unit: 'EUR', amount: '4' }],
    },
    { kind: 'suspense', count: 1, amounts: [{ unit: 'EUR', amount: '-4' }], about: ['EUR'] },
  ],
  late: [
    {
      ...{
        id: 'entry_1',
        kind: 'statement-line',
        bookedOn: '2026-09-30',
        recordedAt: '2026-10-02T10:00:00.000Z',
      },
      lines: [{ account: 'rail:SEPA', unit: 'EUR', amount: '4' }],
    },
  ],
  lateSums: [{ account: 'rail:SEPA', unit: 'EUR', amount: '4' }],
  positions: [
    {
      ...{ unit: 'asset', currency: 'INR', money: '8850', cost: '100', rate: '88', source: 'platform' },
      ...{ value: '100.5681818', unrealised: '0.5681818', realised: '3' },
    },
  ],
  entries: { count: 12, sha256: 'ab'.repeat(32) },
}

const entry: JournalEntry = {
  ...{ id: 'entry_2', kind: 'own-money', transactionId: null, createdAt: '2026-10-12T10:00:00.000Z' },
  ...{ bookedOn: '2026-10-11', valuedOn: '2026-10-11', countedOn: '2026-10-11', exchange: null },
  lines: [
    { account: 'suspense', unit: 'EUR', amount: '9' },
    { account: 'interest', unit: 'EUR', amount: '-9' },
  ],
  restsOn: {
    line: {
      ...{ id: 'line_1', statementId: 'statement_1', fileName: 'october.xml', rail: 'SEPA' },
      ...{ bookedOn: '2026-10-11', direction: 'in', amount: '9', currency: 'EUR', bankReference: 'B1' },
      text: 'Zinsen',
    },
    decisions: [
      {
        ...{ kind: 'own', account: 'interest', reason: 'The bank pays it each quarter.' },
        ...{ requestedBy: 'operator:x', decidedBy: 'operator:x', at: '2026-10-12T10:00:00.000Z' },
      },
    ],
    ...{ manualEntryId: null, reverses: null },
  },
}

/** An anchor with a month to close; why it was closed. */
export function answerClosing(platform: FakePlatform): { reasons: string[] } {
  const state = { reasons: [] as string[] }
  const close = () => ({
    ...{ id: '7', kind: 'month' as const, from: period.from, to: period.to, open: ['suspense' as const] },
    ...{ reason: state.reasons[0] ?? null, by: 'operator:x', at: '2026-11-02T10:00:00.000Z' },
    ...{ sha256: 'cd'.repeat(32), signed: true },
  })
  platform.answer(contracts.getWorkspacePeriod, () => ({
    ...period,
    isOver: true,
    closedBy: state.reasons.length > 0 ? '7' : null,
  }))
  platform.answer(listWorkspaceManualEntries, () => [])
  platform.answer(listWorkspaceEntries, () => [entry])
  platform.answer(contracts.listWorkspaceCloses, () => (state.reasons.length > 0 ? [close()] : []))
  platform.answer(contracts.closeWorkspacePeriod, ({ body }) => {
    state.reasons.push((body as { reason?: string }).reason ?? '')
    return close()
  })
  platform.answer(contracts.getWorkspaceJournalSettings, () => ({ timeZone: 'Asia/Kolkata' }))
  platform.answer(contracts.listWorkspaceJournalAccounts, () => [
    {
      ...{ account: 'rail:SEPA', kind: 'asset' as const, code: '1200', taxKey: null },
      ...{ heldFor: 'customers' as const, changedBy: 'operator:x', changedAt: '2026-11-02T10:00:00.000Z' },
    },
    {
      ...{ account: 'charges', kind: 'expense' as const, code: null, taxKey: null, heldFor: null },
      ...{ changedBy: null, changedAt: null },
    },
  ])
  return state
}
