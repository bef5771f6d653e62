import { expect, it } from 'vitest'
import { keepCompressed, keepNewest } from './compressed.ts'

it('a page is made once for its text, at once too, and again for another one or after a failure', async () => {
  const made: string[] = []
  const pageOf = keepNewest(async text => {
    made.push(text)
    if (text === 'bad') throw new Error('no page')
    return keepCompressed('text/html', text)
  })
  await Promise.all(Array.from({ length: 20 }, () => pageOf('one', 'a')))
  await pageOf('two', 'a')
  expect(made).toEqual(['a', 'a'])
  const changed = await pageOf('one', 'b')
  expect(await pageOf('one', 'b')).toBe(changed)
  expect(made).toEqual(['a', 'a', 'b'])
  for (const _ of [1, 2]) await expect(pageOf('one', 'bad')).rejects.toThrow('no page')
  expect(made).toEqual(['a', 'a', 'b', 'bad', 'bad'])
})
