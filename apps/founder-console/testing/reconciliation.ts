import type { Difference } from '@windlass/contracts/anchor/reconciliation.ts'
import * as contracts from '@windlass/contracts/platform/workspace-reconciliation.ts'
import { getWorkspaceSafeguarding } from '@windlass/contracts/platform/workspace-journal.ts'
import type { FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const AT = '2026-11-20T10:00:00.000Z'
const difference: Difference = {
  ...{
    id: 'difference_1',
    kind: 'bank-account',
    subject: 'DE89370400440532013000',
    unit: 'EUR',
    amount: '-3',
  },
  detail: 'The statements of DE89370400440532013000 come to 3 EUR less than the journal.',
  ...{ status: 'open', foundAt: AT, lastSeenAt: AT, assignedTo: null, endedBy: null, endedAt: null },
  reason: null,
}

/** An anchor with one open difference; what was sent to resolve it. */
export function answerReconciliation(platform: FakePlatform): { reasons: string[] } {
  const state = { reasons: [] as string[] }
  const current = (): Difference =>
    state.reasons.length > 0
      ? {
          ...difference,
          status: 'resolved',
          endedAt: AT,
          endedBy: 'operator:x',
          reason: state.reasons[0] ?? '',
        }
      : difference
  platform.answer(contracts.getWorkspaceReconciliation, () => ({
    open: state.reasons.length > 0 ? 0 : 1,
    last: {
      ...{ at: AT, by: 'schedule' },
      checks: [
        { name: 'Customers', result: 'equal' as const, detail: 'Equal' },
        { name: 'Bank accounts', result: 'different' as const, detail: 'They come to 3 EUR less.' },
      ],
    },
  }))
  platform.answer(getWorkspaceSafeguarding, () => ({
    ...{ at: AT, day: null, parts: [], withoutRate: [], isShort: true },
    currencies: [{ currency: 'EUR', owed: '10996', there: '4754' }],
    total: { currency: 'EUR', difference: '-6242' },
  }))
  platform.answer(contracts.listWorkspaceDifferences, ({ query }) =>
    query.get('status') === 'open' && state.reasons.length > 0 ? [] : [current()],
  )
  platform.answer(contracts.resolveWorkspaceDifference, ({ body }) => {
    state.reasons.push((body as { reason: string }).reason)
    return current()
  })
  return state
}
