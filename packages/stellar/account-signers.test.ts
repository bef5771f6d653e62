import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requirementsOf, type SignersEntry } from './account-signers.ts'
import { generateKey } from './keys.ts'

const [own, other, attacker] = [generateKey(), generateKey(), generateKey()].map(({ publicKey }) => publicKey)
const entry = (weights: Record<string, number>, medium = 0): SignersEntry => ({
  signers: Object.entries(weights).map(([key, weight]) => ({ key, weight })),
  thresholds: { medium },
})
const keys = [own, other, attacker] as [string, string, string]

it('takes an account that no source has as its master key’s', () => {
  for (const second of [undefined, null])
    expect(requirementsOf(keys[0], null, second)).toEqual({
      signers: [{ key: keys[0], weight: 1 }],
      ...{ threshold: 1, isAgreed: true },
    })
})

it('takes of two sources only who both name, by the lower weight, up to the higher threshold', () => {
  const [a, b, c] = keys
  const honest = entry({ [a]: 1, [b]: 2 }, 3)
  expect(requirementsOf(a, honest, entry({ [b]: 2, [a]: 1 }, 3)).isAgreed).toBe(true)
  const lied = requirementsOf(a, entry({ [a]: 5, [b]: 2, [c]: 9 }, 1), honest)
  expect(lied).toMatchObject({ threshold: 3, isAgreed: false })
  expect(lied.signers.filter(({ weight }) => weight > 0)).toEqual([
    { key: a, weight: 1 },
    { key: b, weight: 2 },
  ])
  // An account without its master key is not given back to it by a source that hides it.
  for (const [one, two] of [
    [null, entry({ [a]: 0, [b]: 1 }, 1)],
    [entry({ [a]: 0, [b]: 1 }, 1), null],
  ] as const)
    expect(requirementsOf(a, one, two).signers.filter(({ weight }) => weight > 0)).toEqual([])
})

it('lets nobody sign in whom one of both sources would not let', () => {
  const source = fc.option(
    fc
      .tuple(fc.array(fc.tuple(fc.constantFrom(...keys), fc.nat(3))), fc.nat(4))
      .map(([weights, medium]) => entry(Object.fromEntries(weights), medium)),
  )
  const reach = (given: ReturnType<typeof requirementsOf>, signed: readonly string[]) =>
    given.signers.filter(({ key }) => signed.includes(key)).reduce((sum, { weight }) => sum + weight, 0) >=
    given.threshold
  fc.assert(
    fc.property(source, source, fc.subarray([...keys]), (first, second, signed) => {
      const [account] = keys
      if (!reach(requirementsOf(account, first, second), signed)) return
      expect(reach(requirementsOf(account, first), signed)).toBe(true)
      expect(reach(requirementsOf(account, second), signed)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
