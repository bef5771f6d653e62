import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ALONE, LONG } from './test-files.ts'

it('names only test files that are there, each once: a file that moved would leave its list unseen', () => {
  const checkout = join(import.meta.dirname, '..', '..')
  const named = [...ALONE, ...LONG]
  expect(named.filter(file => !existsSync(join(checkout, file)))).toEqual([])
  expect(named.length).toBe(new Set(named).size)
})
