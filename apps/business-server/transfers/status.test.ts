import { describe, expect, it } from 'vitest'
import type { TransferState } from '../tables.ts'
import { ended, reasonFor, steps } from './status.ts'

const directions = ['deposit', 'withdrawal'] as const

describe('the steps of a transfer', () => {
  it('have one reason each', () => {
    for (const { from, to, direction } of steps) {
      for (const each of directions.filter(side => direction === 'both' || direction === side)) {
        const same = steps.filter(
          step =>
            step.from === from && step.to === to && (step.direction === 'both' || step.direction === each),
        )
        expect(same, `${each}: ${from} to ${to}`).toHaveLength(1)
      }
    }
  })

  it.each(directions)('end for every %s, and lead on from every state that is no end', direction => {
    const reached = new Set<TransferState>(['new'])
    for (let size = 0; size !== reached.size;) {
      size = reached.size
      for (const { from, to } of steps) {
        if (reached.has(from) && reasonFor(from, to, direction)) reached.add(to)
      }
    }
    for (const state of reached) {
      const onward = steps.filter(({ from, to }) => from === state && reasonFor(from, to, direction))
      if (!ended.includes(state)) expect(onward.length, state).toBeGreaterThan(0)
    }
    expect([...reached]).toEqual(expect.arrayContaining(['completed', 'returned', 'expired', 'failed']))
  })

  it('never lead out of a finished one, but for late money, and where money did not arrive over the rail', () => {
    const out = steps.filter(({ from }) => ended.includes(from))
    const [late, back] = [
      out.filter(({ from }) => from === 'expired'),
      out.filter(({ from }) => from !== 'expired'),
    ]
    expect(late).toHaveLength(2)
    expect(back.map(({ from, to, direction }) => [direction, from, to])).toEqual([
      ['withdrawal', 'completed', 'sent_back'],
      ['deposit', 'returned', 'sent_back'],
      ['withdrawal', 'completed', 'paying_out'],
      ['deposit', 'returned', 'returning'],
    ])
    expect(reasonFor('completed', 'returning', 'withdrawal')).toBeNull()
    expect(reasonFor('returned', 'completed', 'deposit')).toBeNull()
  })
})
