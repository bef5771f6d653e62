import { listAudit } from '@windlass/contracts/platform/administrators.ts'
import {
  approveApplication,
  approveApplicationAlias,
  getApplication,
  listApplications,
  rejectApplication,
  rejectApplicationAlias,
} from '@windlass/contracts/platform/applications.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { refusal, submitted } from '../testing/story.ts'

let app: TestApp
let admin: Awaited<ReturnType<typeof signInAdmin>>

beforeAll(async () => {
  app = await testApp()
  admin = await signInAdmin(app)
})
afterAll(() => app.close())

const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.server.app.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

describe('the list of applications', () => {
  it('is newest first, filtered by status and paged by its Link header', async () => {
    const ids: string[] = []
    for (let count = 0; count < 6; count++) {
      app.clock.advance(1)
      ids.unshift(await submitted(app))
    }
    const rejected = ids[2] ?? ''
    await admin.call(rejectApplication, { params: { id: rejected }, body: {} })
    expect((await admin.call(listApplications)).map(({ id }) => id)).toEqual(ids)
    const [newest] = await admin.call(listApplications, { query: { status: 'rejected', limit: 1 } })
    expect(newest).toMatchObject({ id: rejected, status: 'rejected', reviewedBy: app.config.admin.username })

    const seen: string[] = []
    let next: string | undefined = '/api/v1/admin/applications?limit=2'
    for (let page = 0; page < 3 && next; page++) {
      const answer: { json(): { id: string }[]; headers: Record<string, unknown> } =
        await app.server.app.inject({
          url: next,
          headers: { cookie: admin.cookies.header() },
        })
      seen.push(...answer.json().map(({ id }) => id))
      next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link))?.[1]
    }
    expect(seen).toEqual(ids)
  })

  it('refuses an unknown status, a page too large and a foreign cursor', async () => {
    for (const query of ['status=lost', 'limit=101', 'limit=0', 'cursor=bm9wZQ']) {
      const answer = await app.server.app.inject({
        url: `/api/v1/admin/applications?${query}`,
        headers: { cookie: admin.cookies.header() },
      })
      expect([query, answer.statusCode]).toEqual([query, 400])
    }
  })

  it('is nobody’s but the administrator’s', async () => {
    expect(await refusal(app.client().call(listApplications))).toMatchObject({ status: 401 })
    expect(await refusal(admin.call(getApplication, { params: { id: 'nope' } }))).toMatchObject({
      status: 404,
      problem: { code: 'application-not-found' },
    })
  })
})

describe('reviewing', () => {
  it.each([
    ['the admin path', approveApplication],
    ['the path of the onboarding flow', approveApplicationAlias],
  ])('approves under %s, whatever the body and content type', async (_name, endpoint) => {
    const id = await submitted(app)
    const answer = await post(endpoint.path.replace('/api/v1', '').replace(':id', id), '', {
      cookie: admin.cookies.header(),
    })
    expect(answer.statusCode).toBe(200)
    const approval = answer.json()
    expect(approval).toEqual({
      id,
      status: 'approved',
      rawToken: expect.stringMatching(/^[\w-]{43}$/),
      invitation: { id: expect.stringMatching(/^inv_/), expiresAt: expect.any(String) },
      redeemUrl: `http://localhost:4001/redeem#token=${approval.rawToken}`,
    })
    const days = (Date.parse(approval.invitation.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.99)
    expect(days).toBeLessThan(7.01)
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({
      status: 'approved',
      reviewedBy: app.config.admin.username,
      invitation: { id: approval.invitation.id, status: 'open' },
    })
  })

  it.each([
    ['the admin path', rejectApplication],
    ['the path of the onboarding flow', rejectApplicationAlias],
  ])('rejects under %s with a reason that the founder is mailed', async (_name, endpoint) => {
    const businessEmail = `founder-${endpoint.path.length}@rejected.example`
    const id = await submitted(app, { businessEmail })
    const rejected = await admin.call(endpoint, { params: { id }, body: { reason: 'No licence.' } })
    expect(rejected).toEqual({ id, status: 'rejected' })
    await app.drain()
    // In no order: each is delivered on its own.
    const mails = app.mails.filter(({ to }) => to === businessEmail)
    expect(mails).toHaveLength(2)
    expect(mails.find(({ subject }) => /^We received/.test(subject))?.text).toContain(id)
    expect(mails.some(({ text }) => text.includes('No licence.'))).toBe(true)
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({ reason: 'No licence.' })
  })

  it('rejects without any body', async () => {
    const id = await submitted(app)
    const answer = await post(`/admin/applications/${id}/reject`, '', { cookie: admin.cookies.header() })
    expect(answer.json()).toEqual({ id, status: 'rejected' })
  })

  it('is final: a second review is refused and says what was decided', async () => {
    const id = await submitted(app)
    await admin.call(rejectApplication, { params: { id }, body: {} })
    for (const endpoint of [approveApplication, rejectApplication]) {
      expect(await refusal(admin.call(endpoint, { params: { id } }))).toMatchObject({
        status: 409,
        problem: { code: 'application-already-reviewed', applicationStatus: 'rejected' },
      })
    }
    const unknown = await refusal(admin.call(approveApplication, { params: { id: 'app_unknown' } }))
    expect([unknown.status, unknown.problem.code]).toEqual([404, 'application-not-found'])
  })

  it('needs the administrator’s cookie, and a page of ours', async () => {
    const id = await submitted(app)
    for (const endpoint of [
      approveApplication,
      approveApplicationAlias,
      rejectApplication,
      rejectApplicationAlias,
    ]) {
      expect(await refusal(app.client().call(endpoint, { params: { id } }))).toMatchObject({ status: 401 })
      const foreign = { headers: { origin: 'https://evil.example' }, params: { id } }
      expect(await refusal(admin.call(endpoint, foreign))).toMatchObject({
        status: 403,
        problem: { code: 'forbidden-origin' },
      })
    }
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({ status: 'applied' })
  })

  it('has one effect when twenty approve at once', async () => {
    const businessEmail = 'raced@mumbai.example'
    const id = await submitted(app, { businessEmail })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(`${index % 2 ? '/admin' : ''}/applications/${id}/approve`, '', {
          cookie: admin.cookies.header(),
        }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(19)
    await app.drain()
    const mails = app.mails.filter(({ to }) => to === businessEmail)
    expect(mails.filter(({ subject }) => subject.includes('is approved'))).toHaveLength(1)
    const { rowCount } = await app.database.pool.query(
      'select 1 from invitations where application_id = $1',
      [id],
    )
    expect(rowCount).toBe(1)
    const entries = await admin.call(listAudit, { query: { subject: `application:${id}` } })
    expect(entries.map(({ action }) => action)).toEqual(['application.approved', 'application.submitted'])
  })

  it('never stores the token: neither plain in the outbox nor for a repeated Idempotency-Key', async () => {
    const id = await submitted(app)
    const headers = { cookie: admin.cookies.header(), 'idempotency-key': 'approve-1' }
    const { rawToken } = (await post(`/admin/applications/${id}/approve`, '', headers)).json()
    const dump = async () =>
      JSON.stringify(
        await Promise.all(
          ['outbox', 'invitations', 'idempotency_keys', 'audit_log'].map(async table => {
            const { rows } = await app.database.pool.query(`select t::text from ${table} t`)
            return rows
          }),
        ),
      )
    expect(await dump()).not.toContain(rawToken)
    await app.drain()
    expect(await dump()).not.toContain(rawToken)
    const { rows } = await app.database.pool.query(
      `select 1 from outbox where topic = 'mail' and sealed is not null`,
    )
    expect(rows).toEqual([])
    const again = await post(`/admin/applications/${id}/approve`, '', headers)
    expect([again.statusCode, again.json().code]).toEqual([409, 'idempotency-key-secret'])
  })
})
