import { expect, it } from 'vitest'
import { refusedLines } from './lint-lines.ts'

const refused = [
  '/a+$/',
  "new RegExp('a+$')",
  "RegExp('a+$', 'u')",
  'new RegExp(`a+$`)',
  "new RegExp('(a|a)*b', 'i')",
]
const allowed = [
  '/^a+$/',
  "new RegExp('^a+$')",
  "new RegExp(text, 'u')",
  'new RegExp(`${text}+$`)',
  "new Pattern('a+$')",
]

it('refuses a pattern that is slow with any text, also where it is written as a text', async () => {
  expect(await refusedLines('linear-patterns/by-any-text', [...refused, ...allowed])).toEqual(refused)
})
