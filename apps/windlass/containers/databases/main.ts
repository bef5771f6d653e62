import { optional, required } from '@windlass/service/process/env.ts'
import { ensureDatabases, protectAuditLog } from '../../databases.ts'
import { DATABASES } from '../../services.ts'
import { untilPostgresAnswers } from '../until-postgres-answers.ts'

// Creates the stack's databases and roles in a Postgres that runs already. Runs before the services, and again when
// the platform has made its tables.

const ANOTHER_PASSWORD = '28P01'
const url = new URL(optional(process.env, 'POSTGRES_URL') ?? 'postgres://postgres@postgres:5432/postgres')
const password = required(process.env, 'POSTGRES_PASSWORD')
url.password = encodeURIComponent(password)

try {
  await untilPostgresAnswers(url.href)
} catch (error) {
  if ((error as { code?: unknown }).code !== ANOTHER_PASSWORD) throw error
  console.error('Postgres has another POSTGRES_PASSWORD. Change it there first: docs/guides/secrets.md')
  process.exit(78)
}
await ensureDatabases(url.href, [...DATABASES], { POSTGRES_PASSWORD: password })
const isProtected = await protectAuditLog(url.href, 'windlass_platform', 'windlass_platform')
console.log(
  `${DATABASES.length} databases are ready${isProtected ? ', the audit log has an owner of its own' : ''}`,
)
