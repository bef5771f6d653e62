import { expect, it } from 'vitest'
import { rehearseLogin } from './rehearsal.ts'

it('answers a login before the server has an anchor', async () => {
  await expect(rehearseLogin()).resolves.toBeUndefined()
})

it('does its background work over a database that has nothing, where its code is kept for later servers', async () => {
  await expect(rehearseLogin(true)).resolves.toBeUndefined()
})
