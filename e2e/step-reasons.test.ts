import { expect, it } from 'vitest'
import { steps } from '../apps/business-server/transfers/status.ts'
import { stepReason } from '../apps/founder-console/workspaces/transactions/step-reasons.ts'

it('the console says why a transaction changed in the words of the anchor, for each step there is', () => {
  const kinds = ['deposit', 'withdrawal'] as const
  const said = steps.flatMap(({ from, to, direction, why }) =>
    kinds
      .filter(kind => direction === 'both' || direction === kind)
      .map(kind => [stepReason(kind, from, to), why]),
  )
  for (const [shown, why] of said) expect(shown).toBe(why)
  expect(said.length).toBeGreaterThan(40)
})
