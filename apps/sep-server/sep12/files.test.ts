import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requireKind } from './files.ts'

it.each([
  ['a JPEG', 'ffd8ffe000104a464946'],
  ['a PNG', '89504e470d0a1a0a0000'],
  ['a PDF', '255044462d312e370a'],
  ['a WebP', '524946461a00000057454250'],
  ['a HEIC', '0000002066747970686569630000'],
  ['a HEIC', '00000020667479706d6966310000'],
])('a file is %s by its first bytes, however it is called', (_type, head) => {
  requireKind('file', Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(100)]))
})

it.each([
  ['nothing', ''],
  ['half a signature', '8950'],
  ['a page', Buffer.from('<!doctype html>').toString('hex')],
  [
    'a drawing that can hold a script',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">').toString('hex'),
  ],
  ['a film', '00000020667479706d7034320000'],
  ['a sound', '524946461a00000057415645'],
])('%s is refused', (_what, head) => {
  expect(() => requireKind('photo', Buffer.from(head, 'hex'))).toThrow("'photo' cannot be decoded")
})

it('whatever a stranger sends is one of those or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      try {
        requireKind('x', Buffer.from(bytes))
      } catch (error) {
        expect(error).toMatchObject({ status: 400 })
      }
    }),
  )
})
