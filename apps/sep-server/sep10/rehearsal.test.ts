import { expect, it } from 'vitest'
import { systemClock } from '@windlass/service/clock.ts'
import { rehearseLogin } from './rehearsal.ts'

it('answers a login before the server has an anchor', async () => {
  await expect(rehearseLogin(systemClock)).resolves.toBeUndefined()
})
