import { optional, required } from '@windlass/service/env.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureDatabases, protectAuditLog } from '../../databases.ts'
import { DATABASES } from '../../services.ts'

// Creates the stack's databases and roles in a Postgres that runs already. Runs before the services, and again when
// the platform has made its tables.

const TRIES = 60
const ANOTHER_PASSWORD = '28P01'
const url = new URL(optional(process.env, 'POSTGRES_URL') ?? 'postgres://postgres@postgres:5432/postgres')
const password = required(process.env, 'POSTGRES_PASSWORD')
url.password = encodeURIComponent(password)

await untilItAnswers(url.href)
await ensureDatabases(url.href, [...DATABASES], { POSTGRES_PASSWORD: password })
const isProtected = await protectAuditLog(url.href, 'windlass_platform', 'windlass_platform')
console.log(
  `${DATABASES.length} databases are ready${isProtected ? ', the audit log has an owner of its own' : ''}`,
)

async function untilItAnswers(connectionString: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
    try {
      await client.connect()
      return
    } catch (error) {
      if ((error as { code?: unknown }).code === ANOTHER_PASSWORD) {
        console.error('Postgres has another POSTGRES_PASSWORD. Change it there first: docs/guides/secrets.md')
        process.exit(78)
      }
      if (tries === TRIES) throw error
      await sleep(1_000)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
