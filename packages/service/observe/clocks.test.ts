import { afterEach, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '@windlass/testing/database.ts'
import { openDatabase } from '../postgres/database.ts'
import { createServer, type Server } from '../http/server.ts'
import { comparingClocks, secondsAhead } from './clocks.ts'
import { createLogger } from './logger.ts'
import { publishPool } from './pool-metrics.ts'

const started: Server[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(started.splice(0).map(server => server.close()))
})

async function startServer(name: string): Promise<{ server: Server; url: string }> {
  const server = await createServer({ name, logger: createLogger(name, 'silent') })
  started.push(server)
  return { server, url: `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}` }
}

/** What this process shows of clocks, by whose they are. */
async function shown({ app }: Server): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.matchAll(/^windlass_clock_ahead_seconds\{of="(\w+)".*\} (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, of = '', value]) => [of, Math.round(Number(value))]))
}

describe('the clocks of parts', () => {
  it('differ only as far as the time between question and answer cannot explain', () => {
    expect(secondsAhead(1_500, 1_000, 2_000)).toBe(0)
    expect(secondsAhead(5_000, 1_000, 2_000)).toBe(3)
    expect(secondsAhead(500, 1_000, 2_000)).toBe(-0.5)
    expect(secondsAhead(NaN, 1_000, 2_000)).toBe(0)
  })

  it('are compared with each answer of a part, and with the database at each scrape', async () => {
    const given = await testDatabase()
    const database = openDatabase<never>(given.url, { name: 'clocks' })
    try {
      const { url } = await startServer('signer')
      const { server } = await startServer('asks')
      publishPool(server.app.metrics, database.pool)
      const ask = comparingClocks('signer')
      await ask(`${url}/health/live`, {})
      expect(await shown(server)).toEqual({ signer: 0, database: 0 })

      const real = Date.now.bind(Date)
      let answered = false
      // The caller's clock is 400 s behind: the server reads the same one once, between its two readings.
      vi.spyOn(Date, 'now').mockImplementation(() => {
        const isServer = new Error().stack?.includes('server.ts') ?? false
        if (isServer) answered = true
        return real() - (isServer ? 0 : 400_000)
      })
      await ask(`${url}/health/live`, {})
      expect(answered).toBe(true)
      expect(await shown(server)).toEqual({ signer: 400, database: 0 })
    } finally {
      await database.close()
      await given.drop()
    }
  })

  it('are sent to those who ask with theirs, and to nobody else', async () => {
    const { server } = await startServer('signer')
    const asked = (headers: Record<string, string>) => server.app.inject({ url: '/health/live', headers })
    expect((await asked({})).headers['x-clock']).toBeUndefined()
    expect(Number((await asked({ 'x-clock': '1' })).headers['x-clock'])).toBeCloseTo(Date.now(), -4)
  })
})
