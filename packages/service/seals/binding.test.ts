import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBinder } from './binding.ts'

const key = (fill: number) => Buffer.alloc(32, fill)
const row = fc.array(fc.option(fc.string()), { minLength: 1, maxLength: 6 })

it('a row is bound as it is, and no other one, under no other key', () => {
  const [binder, other] = [createBinder(new Map([[1, key(1)]])), createBinder(new Map([[1, key(2)]]))]
  fc.assert(
    fc.property(row, row, (one, another) => {
      const bound = binder.bind(one)
      expect(binder.isBound(bound, one)).toBe(true)
      expect(binder.isBound(bound, another)).toBe(JSON.stringify(one) === JSON.stringify(another))
      expect(other.isBound(bound, one)).toBe(false)
    }),
  )
})

it('what is missing, cut or under a key that is gone is not bound; an older key verifies', () => {
  const old = createBinder(new Map([[1, key(1)]]))
  const rotated = createBinder(new Map([2, 1].map(version => [version, key(version)] as const)))
  const bound = old.bind(['a', null])
  expect(rotated.isBound(bound, ['a', null])).toBe(true)
  expect(rotated.bind(['a'])[0]).toBe(2)
  expect(old.isBound(rotated.bind(['a']), ['a'])).toBe(false)
  for (const spoiled of [null, Buffer.alloc(0), bound.subarray(0, 32), Buffer.concat([bound, bound])])
    expect(old.isBound(spoiled, ['a', null])).toBe(false)
})
