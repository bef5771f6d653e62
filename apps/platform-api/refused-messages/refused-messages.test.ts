import { listAudit } from '@windlass/contracts/platform/administrators.ts'
import { listRefusedMessages, retryRefusedMessage } from '@windlass/contracts/platform/refused-messages.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInAdmin, type TestApp, testApp } from '../testing/app.ts'
import { signInAdministrator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'

let app: TestApp
let admin: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  app = await testApp()
  admin = await signInAdmin(app)
})
afterAll(() => app.close())

/** A message that its recipient refused six times, as the outbox leaves it. */
async function refusedMessage(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into outbox (topic, key, payload, attempts, next_at, last_error, refused_code, refused_at)
    values ('elsewhere', gen_random_uuid()::text, '{"name": "Planted Secret"}', 6, now() + interval '10 minutes',
      'rails must name at least one rail', 'validation-failed', now())
    returning id::text`.execute(app.database.db)
  return rows[0]?.id ?? ''
}

const dueIn = async (id: string) =>
  (
    await sql<{ seconds: number }>`
      select extract(epoch from next_at - now())::int as seconds from outbox where id::text = ${id}`.execute(
      app.database.db,
    )
  ).rows[0]?.seconds ?? NaN

it('a refused message is listed with its answer and without what it says, and sent again when an administrator asks', async () => {
  expect(await admin.call(listRefusedMessages)).toEqual([])
  const id = await refusedMessage()
  const listed = await admin.call(listRefusedMessages)
  expect(listed).toEqual([
    expect.objectContaining({
      ...{ id, topic: 'elsewhere', code: 'validation-failed', attempts: 6 },
      detail: 'rails must name at least one rail',
    }),
  ])
  expect(JSON.stringify(listed)).not.toContain('Planted')
  expect(await dueIn(id)).toBeGreaterThan(500)
  await admin.call(retryRefusedMessage, { params: { id } })
  expect(await dueIn(id)).toBeLessThanOrEqual(0)
  const [entry] = await admin.call(listAudit, { query: { limit: 1 } })
  expect(entry).toMatchObject({
    action: 'refused-message.retried',
    subject: `message:${id}`,
    details: { topic: 'elsewhere', code: 'validation-failed' },
  })
})

it('a refused message that is on its way is not sent twice', async () => {
  const id = await refusedMessage()
  await sql`update outbox set next_at = now() + interval '29 seconds' where id::text = ${id}`.execute(
    app.database.db,
  )
  await admin.call(retryRefusedMessage, { params: { id } })
  expect(await dueIn(id)).toBeGreaterThan(10)
})

it('viewers try nothing again, and what is not refused is unknown', async () => {
  const id = await refusedMessage()
  const viewer = await signInAdministrator(app, 'viewer@windlass.test', 'viewer')
  expect(await viewer.call(listRefusedMessages)).not.toEqual([])
  expect((await refusal(viewer.call(retryRefusedMessage, { params: { id } }))).status).toBe(403)
  expect(await dueIn(id)).toBeGreaterThan(500)
  await sql`update outbox set refused_code = null, refused_at = null where id::text = ${id}`.execute(
    app.database.db,
  )
  for (const unknown of [id, '999999', 'x'])
    expect((await refusal(admin.call(retryRefusedMessage, { params: { id: unknown } }))).status).toBe(404)
  expect(await dueIn(id)).toBeGreaterThan(500)
})
