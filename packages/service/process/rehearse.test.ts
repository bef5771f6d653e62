import { expect, it } from 'vitest'
import { rehearse } from './rehearse.ts'
import { createServer } from '../http/server.ts'

it('says which path of a rehearsal was not answered', async () => {
  const server = () => createServer({ name: 'rehearsal', metrics: false })
  await rehearse(await server(), ['/health/live'])
  await expect(rehearse(await server(), ['/nowhere'])).rejects.toThrow('/nowhere answered 404')
})
