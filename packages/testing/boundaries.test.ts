import { globSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { crossedBoundaries } from './boundaries.ts'
import { brokenOwnership, isChecked } from './slices.ts'
import { bannedPhrases } from './wording.ts'

it('every import keeps the rules, and only entries read the environment', async () => {
  expect(await crossedBoundaries()).toEqual([])
}, 60_000)

it('each table belongs to one slice, and no two slices import each other', () => {
  expect(brokenOwnership()).toEqual([])
})

it('every slice is checked, whatever its name, and what helps tests is not', () => {
  const cwd = new URL('../../', import.meta.url)
  const folders = globSync('apps/*/*/{routes,tables,queries}.ts', { cwd: cwd.pathname }).filter(
    path => !path.includes('/testing/'),
  )
  expect(folders.length).toBeGreaterThan(50)
  expect(folders.filter(path => !isChecked(path))).toEqual([])
  expect(isChecked('apps/platform-api/test-deposits/start.ts')).toBe(true)
  for (const path of [
    'apps/platform-api/testing/app.ts',
    'apps/x/slice/a.test.ts',
    'apps/x/testing/tables.ts',
  ])
    expect(isChecked(path)).toBe(false)
})

it('no code, text or document uses a banned phrase', () => {
  expect(bannedPhrases()).toEqual([])
})

it('each decision record has a unique number', () => {
  const numbers = readdirSync(new URL('../../docs/adr/', import.meta.url)).map(name => name.slice(0, 4))
  expect(numbers.length).toBeGreaterThan(20)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
