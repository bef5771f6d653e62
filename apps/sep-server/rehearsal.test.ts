import { expect, it } from 'vitest'
import { rehearseLogin } from './rehearsal.ts'

it('answers a login before the server has an anchor', async () => {
  await expect(rehearseLogin()).resolves.toBeUndefined()
})
