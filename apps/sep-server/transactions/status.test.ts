import { kinds, rpcMethods, statuses } from '@windlass/contracts/anchor/anchor-platform.ts'
import { describe, expect, it } from 'vitest'
import { finalStatuses, transitionFor, transitions } from './status.ts'

describe('the table of transitions', () => {
  it('has rows for every method of the Platform API', () => {
    for (const method of rpcMethods)
      expect(
        transitions.some(row => row.method === method),
        method,
      ).toBe(true)
  })

  it('gives one answer at most to each call', () => {
    for (const method of rpcMethods) {
      for (const status of statuses) {
        for (const side of ['deposit', 'withdrawal'] as const) {
          const fitting = transitions.filter(
            row =>
              row.method === method &&
              (row.side === 'both' || row.side === side) &&
              row.from.includes(status),
          )
          expect(fitting.length, `${method} on a ${side} that is ${status}`).toBeLessThanOrEqual(1)
        }
      }
    }
  })

  it('lets nothing happen to what is completed or refunded, but that money did not arrive over the rail', () => {
    for (const method of rpcMethods) {
      for (const kind of kinds) {
        const isPaidByRail = kind.startsWith('withdrawal')
        const [over, still] = isPaidByRail
          ? (['completed', 'refunded'] as const)
          : (['refunded', 'completed'] as const)
        const again = method === 'notify_transaction_recovery' ? 'pending_anchor' : undefined
        expect(transitionFor(method, kind, over)?.to, method).toBe(again)
        expect(transitionFor(method, kind, still), method).toBeNull()
      }
    }
    expect(finalStatuses).toContain('completed')
  })

  it('keeps the sides apart: a withdrawal gets no trustline, a deposit no payout', () => {
    expect(transitionFor('request_trust', 'withdrawal', 'pending_anchor')).toBeNull()
    expect(transitionFor('notify_offchain_funds_available', 'deposit-exchange', 'pending_anchor')).toBeNull()
    expect(transitionFor('notify_onchain_funds_sent', 'deposit-exchange', 'pending_anchor')?.to).toBe(
      'completed',
    )
  })
})
