import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BoundedCache, cacheSizes } from './bounded-cache.ts'

const MAX = 5_000
const create = (name: string) =>
  new BoundedCache<string>({ name, maxBytes: MAX, sizeOf: text => text.length })

it('never holds more bytes than it may, with any keys and values, and what it holds is what came last', () => {
  const act = fc.record({
    key: fc.string({ maxLength: 200 }),
    value: fc.string({ maxLength: 6_000, size: 'max' }),
    removes: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), acts => {
      const cache = create('property')
      const last = new Map<string, string>()
      for (const { key, value, removes } of acts) {
        if (removes) cache.delete(key)
        else cache.set(key, value)
        if (removes) last.delete(key)
        else last.set(key, value)
        expect(cache.bytes).toBeLessThanOrEqual(MAX)
        expect(cache.bytes).toBeGreaterThanOrEqual(100 * cache.size)
        expect([undefined, last.get(key)]).toContain(cache.get(key))
      }
      for (const key of last.keys()) cache.delete(key)
      expect([cache.size, cache.bytes]).toEqual([0, 0])
    }),
  )
})

it('lets the oldest go first, and keeps nothing that is too large alone', () => {
  const cache = create('oldest')
  for (const key of ['a', 'b', 'c']) cache.set(key, 'x'.repeat(1_500))
  cache.set('a', 'y'.repeat(1_500))
  cache.set('d', 'x'.repeat(1_500))
  expect(['a', 'b', 'c', 'd'].map(key => cache.get(key)?.[0])).toEqual(['y', undefined, 'x', 'x'])
  cache.set('c', 'z'.repeat(MAX))
  expect([cache.get('c'), cache.size]).toEqual([undefined, 2])
})

it('is counted with others of its name, and no more once nobody has it', () => {
  const [one, other] = [create('counted'), create('counted')]
  one.set('a', 'xx')
  other.set('b', 'yyy')
  expect(cacheSizes()).toContainEqual({ name: 'counted', entries: 2, bytes: one.bytes + other.bytes })
})
