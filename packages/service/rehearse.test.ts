import { expect, it } from 'vitest'
import { rehearse } from './rehearse.ts'

it('says which path of a rehearsal was not answered', async () => {
  await rehearse(() => undefined, [])
  await expect(rehearse(() => undefined, ['/nowhere'])).rejects.toThrow('/nowhere answered 404')
})
