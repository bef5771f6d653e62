import { expect, it } from 'vitest'
import { crossedBoundaries } from './boundaries.ts'

it('nobody imports what is not theirs to see, and only entries read the environment', async () => {
  expect(await crossedBoundaries()).toEqual([])
})
