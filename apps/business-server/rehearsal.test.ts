import { expect, it } from 'vitest'
import { rehearseStart } from './rehearsal.ts'

it('builds a server before it has an anchor', async () => {
  await expect(rehearseStart()).resolves.toBeUndefined()
})

it('does its background work over a database that has nothing, where its code is kept for later servers', async () => {
  await expect(rehearseStart(true)).resolves.toBeUndefined()
})
