import fc from 'fast-check'
import Type from 'typebox'
import { expect, it } from 'vitest'
import { compileKeep } from './validation.ts'

const keep = compileKeep(
  Type.Object({
    name: Type.String(),
    inner: Type.Optional(Type.Object({ kept: Type.Boolean() })),
    list: Type.Optional(Type.Array(Type.Object({ kept: Type.Number() }))),
    map: Type.Optional(Type.Record(Type.String(), Type.String())),
    either: Type.Optional(Type.Union([Type.String(), Type.Object({ a: Type.String() })])),
  }),
)

it('keeps what a contract declares, at every depth, and nothing else', () => {
  const given = {
    name: 'a',
    memo: 'a stranger’s',
    inner: { kept: true, other: 1 },
    list: [{ kept: 1, other: [] }],
    map: { any: 'name' },
    either: { a: 'x', b: 'y' },
  }
  expect(keep(given)).toEqual({
    name: 'a',
    inner: { kept: true },
    list: [{ kept: 1 }],
    map: { any: 'name' },
    either: { a: 'x', b: 'y' },
  })
})

it('never adds a name, whatever comes', () => {
  const names = ['name', 'inner', 'list', 'map', 'either']
  fc.assert(
    fc.property(fc.object(), given => {
      const kept = keep(given) as object
      expect(Object.keys(kept).every(each => names.includes(each) && each in given)).toBe(true)
    }),
  )
})
