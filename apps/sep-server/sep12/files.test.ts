import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fileKind } from './files.ts'

it.each([
  ['image/jpeg', 'ffd8ffe000104a464946'],
  ['image/png', '89504e470d0a1a0a0000'],
  ['application/pdf', '255044462d312e370a'],
  ['image/webp', '524946461a00000057454250'],
  ['image/heic', '0000002066747970686569630000'],
  ['image/heic', '00000020667479706d6966310000'],
])('a file is %s by its first bytes, however it is called', (type, head) => {
  expect(fileKind('file', Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(100)]))).toBe(type)
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
  expect(() => fileKind('photo', Buffer.from(head, 'hex'))).toThrow("'photo' cannot be decoded")
})

it('whatever a stranger sends is one of those or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      try {
        expect(fileKind('x', Buffer.from(bytes))).toMatch(/^(image|application)\//)
      } catch (error) {
        expect(error).toMatchObject({ status: 400 })
      }
    }),
  )
})
