import { expect, it } from 'vitest'
import { crossedBoundaries } from './boundaries.ts'
import { brokenOwnership } from './slices.ts'
import { bannedPhrases } from './wording.ts'

it('nobody imports what is not theirs to see, and only entries read the environment', async () => {
  expect(await crossedBoundaries()).toEqual([])
})

it('each table belongs to one slice, and no two slices import each other', () => {
  expect(brokenOwnership()).toEqual([])
})

it('no code, text or document uses a banned phrase', () => {
  expect(bannedPhrases()).toEqual([])
})
