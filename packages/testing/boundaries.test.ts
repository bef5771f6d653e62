import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { crossedBoundaries } from './boundaries.ts'
import { brokenOwnership } from './slices.ts'
import { bannedPhrases } from './wording.ts'

it('every import keeps the rules, and only entries read the environment', async () => {
  expect(await crossedBoundaries()).toEqual([])
}, 60_000)

it('each table belongs to one slice, and no two slices import each other', () => {
  expect(brokenOwnership()).toEqual([])
})

it('no code, text or document uses a banned phrase', () => {
  expect(bannedPhrases()).toEqual([])
})

it('each decision record has a unique number', () => {
  const numbers = readdirSync(new URL('../../docs/adr/', import.meta.url)).map(name => name.slice(0, 4))
  expect(numbers.length).toBeGreaterThan(20)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
