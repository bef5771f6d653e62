import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const TRIES = 60
const REFUSED = ['28P01', '28000', '3D000']

/** Throws where it refuses the login or has no such database, and where it does not answer within a minute. */
export async function untilPostgresAnswers(connectionString: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
    try {
      await client.connect()
      return
    } catch (error) {
      if (tries === TRIES || REFUSED.includes(String((error as { code?: unknown }).code))) throw error
      await sleep(1_000)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
