import { expect, it } from 'vitest'
import { rehearseStart } from './rehearsal.ts'

it('builds a server before it has an anchor', async () => {
  await expect(rehearseStart()).resolves.toBeUndefined()
})
