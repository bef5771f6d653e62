import { endpoint } from '@windlass/contracts/endpoint.ts'
import { buildApp } from '@windlass/platform-api/app.ts'
import { loadConfig } from '@windlass/platform-api/config.ts'
import { migrations, type Tables } from '@windlass/platform-api/tables.ts'
import { createDeps } from '@windlass/platform-api/deps.ts'
import { codeHash } from '@windlass/platform-api/otp/code.ts'
import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { size } from '../stand/run.ts'
import { recordStatements, renewing, replay, type Statements } from './statements.ts'

/*
 * The platform API in a process of its own, with a bare handler more for each endpoint that is measured: it sends the
 * statements that the endpoint was seen to send, in the same transactions, with values of the request's own, and does
 * nothing else.
 */

export interface Ready {
  port: number
  cookie: string
  endpoints: {
    path: string
    bare: string
    method: 'GET' | 'POST'
    /** `#` stands for a number that no other request has. */
    body?: string
    statements: string
  }[]
}

const CODE = '482913'
const CUSTOMERS = size(200_000, 10_000)

const key = () => randomBytes(32).toString('hex')
const loaded = loadConfig({
  DEPLOYMENT: 'local',
  PLATFORM_DATABASE_URL: process.env.BENCH_DATABASE_URL,
  SERVICE_SECRET: key(),
  PLATFORM_KEY: `v1:${randomBytes(32).toString('base64')}`,
  ADMIN_USERNAME: 'admin@bench.example',
  ADMIN_PASSWORD: key(),
  ...{ OPERATOR_TOKEN_KEY: key(), CUSTOMER_TOKEN_KEY: key(), ADMIN_TOKEN_KEY: key(), OTP_KEY: key() },
  SECRETS_ENDPOINT: 'http://127.0.0.1:9',
  ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
})
// One client asks for everybody here.
const config = { ...loaded, rateFactor: 1e7 }
const database = openDatabase<Tables>(config.database.url, { name: 'platform-api', max: 20, prepared: true })
await migrate(database.pool, [sharedMigrations, kycMigrations, migrations])
const deps = createDeps(config, createLogger('platform-api', 'warn'), { database })
const server = await buildApp(deps)

await seedCodes('customer', 'customer')
await seedCodes('operator', 'operator', 1)

const MEASURED = [
  { method: 'GET', path: '/api/v1/auth/me' },
  {
    method: 'POST',
    path: '/api/v1/customer/auth/verify-otp',
    body: JSON.stringify({ email: 'customer-#@bench.example', code: CODE }),
  },
  { method: 'POST', path: '/api/v1/customer/auth/request-otp', body: '{"email":"new-#@bench.example"}' },
  { method: 'POST', path: '/api/v1/auth/otp/request', body: '{"email":"new-#@bench.example"}' },
] as const
const bareOf = (path: string) => `/bare${path}` as const
const seen = new Map<string, { email: string; statements: Statements }>()
for (const { method, path } of MEASURED) serveBare(method, path)
const cookie = await signInOperator()
const endpoints: Ready['endpoints'] = []
for (const each of MEASURED)
  endpoints.push({ ...each, bare: bareOf(each.path), statements: await watch(each) })
const port = await server.listen(0, '127.0.0.1')
process.send?.({ port, cookie, endpoints } satisfies Ready)
// Asked before and after a load: the processor time of this process, in µs.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit(0))

/** Codes that were mailed, one for each of many addresses. */
async function seedCodes(realm: 'customer' | 'operator', word: string, count = CUSTOMERS): Promise<void> {
  const emails = Array.from({ length: count }, (_, n) => `${word}-${n}@bench.example`)
  const hashes = emails.map(email =>
    codeHash(config.otpKey, { realm, purpose: 'sign-in', anchorId: null }, email, CODE),
  )
  await database.pool.query(
    `insert into emailed_codes (realm, email, purpose, place, code_hash, expires_at)
      select $1, email, 'sign-in', '', hash, now() + interval '1 day' from unnest($2::text[], $3::bytea[]) as seeded (email, hash)`,
    [realm, emails, hashes],
  )
}

async function signInOperator(): Promise<string> {
  const payload = { email: 'operator-0@bench.example', code: CODE, fullName: 'Bench Operator' }
  const answer = await server.app.inject({ method: 'POST', url: '/api/v1/auth/otp/verify', payload })
  if (answer.statusCode !== 200) throw new Error(`the operator was not signed in: ${answer.body}`)
  return answer.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

/** Sees which statements an endpoint sends. */
async function watch(measured: { method: 'GET' | 'POST'; path: string; body?: string }): Promise<string> {
  const { method, path: url, body } = measured
  const bodyOf = (n: number) => body?.replace('#', String(CUSTOMERS - n))
  const ask = (n: number) =>
    server.app.inject({
      ...{ method, url },
      headers: { cookie, 'content-type': 'application/json' },
      ...(body ? { payload: bodyOf(n) } : {}),
    })
  await ask(1)
  const { answer, statements } = await recordStatements(() => ask(2))
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${answer.body}`)
  const { email = '' } = JSON.parse(bodyOf(2) ?? '{}') as { email?: string }
  seen.set(url, { email, statements })
  return describe(statements)
}

function serveBare(method: 'GET' | 'POST', path: string): void {
  const bare = endpoint(`${method} ${bareOf(path)}`, {
    realm: 'public',
    summary: 'The same statements',
    ...(method === 'POST' ? { body: Type.Object({ email: Type.String() }) } : {}),
    response: { 200: Type.Object({ ok: Type.Boolean() }) },
  })
  const hashOf = (email: string) =>
    codeHash(config.otpKey, { realm, purpose: 'sign-in', anchorId: null }, email, CODE)
  const realm = path.includes('customer') ? 'customer' : 'operator'
  server.on(bare).serve(async ({ body }) => {
    const { email, statements } = seen.get(path) ?? { email: '', statements: [] }
    const own = (body as { email?: string } | undefined)?.email
    const renew = own
      ? renewing({ email, hash: hashOf(email) }, own, hashOf)
      : (value: unknown): unknown => value
    await replay(database.pool, statements, renew)
    return { ok: true }
  })
}

function describe(statements: Statements): string {
  const all = statements.flat()
  const writes = all.filter(({ text }) => !/^\s*select/i.test(text)).length
  const transactions = statements.filter(group => group.length > 1).length
  return `${all.length - writes} reads, ${writes} writes, ${transactions} transactions of several`
}
