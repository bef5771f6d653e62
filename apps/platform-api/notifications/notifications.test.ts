import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { chooseOperatorLanguage } from '@windlass/contracts/platform/emails.ts'
import * as contracts from '@windlass/contracts/platform/notifications.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { clientOf, testApp, testEnv, type TestApp } from '../testing/app.ts'
import { stood, testServices, type TestServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal, submitted } from '../testing/story.ts'
import { prune } from '../workers.ts'

let services: TestServices
let app: TestApp
let owner: Awaited<ReturnType<typeof signInOperator>>
let member: Awaited<ReturnType<typeof signInOperator>>
let stranger: Awaited<ReturnType<typeof signInOperator>>
let anchor: Awaited<ReturnType<typeof activeAnchor>>
let params: { anchorId: string }
const sent: { url: string; init: OutboundRequest }[] = []
let status = 204

beforeAll(async () => {
  services = await testServices()
  const outbound = {
    request: async (url: string, init: OutboundRequest = {}) => {
      sent.push({ url, init })
      return { status, headers: {}, text: '' }
    },
    close: async () => undefined,
  }
  app = await testApp({ deps: { ...services.clients, outbound } })
  owner = await signInOperator(app, 'owner@notes.example')
  member = await signInOperator(app, 'member@notes.example')
  stranger = await signInOperator(app, 'stranger@notes.example')
  anchor = await activeAnchor(app, owner.user.id, 'notes')
  params = { anchorId: anchor.id }
  const body = { email: 'member@notes.example', role: 'member' as const }
  await owner.call(addMember, { params: { organizationId: anchor.organizationId }, body })
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(async () => {
  await app.drain()
  await app.database.pool.query('delete from notifications; delete from notification_webhooks')
  await app.database.pool.query('delete from notification_preferences')
  sent.length = 0
  app.mails.length = 0
  status = 204
})

type Report = contracts.NotificationReport
const report = (given: Partial<Report>, by = anchor.client) =>
  by.call(contracts.reportNotifications, { body: { evaluated: [], conditions: [], events: [], ...given } })
const low = { kind: 'treasury-low', subject: 'treasury', detail: 'The treasury holds 5 TEST.' } as const
const evaluated = ['treasury-low'] as const
const mailed = async (to: string) => {
  await app.drain()
  return app.mails.filter(mail => mail.to === to).map(({ subject }) => subject)
}
const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code

describe('a condition', () => {
  it('is emailed once when it begins and once when it ends, however often and by how many it is reported', async () => {
    await Promise.all([1, 2, 3].map(() => report({ evaluated: [...evaluated], conditions: [low] })))
    await report({
      evaluated: [...evaluated],
      conditions: [{ ...low, detail: 'The treasury holds 4 TEST.' }],
    })
    expect(await mailed('owner@notes.example')).toEqual(['notes.anchors.localhost: the treasury is low'])
    const [open] = await owner.call(contracts.listNotifications, { params, query: { open: true } })
    expect(open).toMatchObject({ detail: 'The treasury holds 4 TEST.', endedAt: null })
    expect(app.mails[0]?.text).toContain('The treasury holds 5 TEST.')
    expect(app.mails[0]?.html).toContain(`/workspaces/${anchor.id}/treasury`)

    await report({ evaluated: ['xlm-low'] })
    await report({ evaluated: [...evaluated], unsure: [{ kind: low.kind, subject: low.subject }] })
    expect(await owner.call(contracts.listNotifications, { params, query: { open: true } })).toHaveLength(1)
    await Promise.all([1, 2].map(() => report({ evaluated: [...evaluated] })))
    expect((await mailed('owner@notes.example')).slice(1)).toEqual([
      'notes.anchors.localhost: the treasury is no longer low',
    ])
    expect(await owner.call(contracts.listNotifications, { params, query: { open: true } })).toEqual([])

    await report({ evaluated: [...evaluated], conditions: [low] })
    expect(await mailed('owner@notes.example')).toHaveLength(3)
    expect(await owner.call(contracts.listNotifications, { params })).toHaveLength(2)
  })

  it('of several places leads to the list, and one of a transaction to the transaction', async () => {
    const waits = (subject: string) => ({ kind: 'review-waiting' as const, subject, detail: 'It waits.' })
    const conditions = [waits('statement-lines'), waits('operator-actions')]
    await report({ evaluated: ['review-waiting'], conditions })
    await mailed('owner@notes.example')
    expect(app.mails[0]?.html).toContain(`/workspaces/${anchor.id}/notifications`)
    const id = '3f1c6a52-6a0e-4a53-9d8c-2c6b5a0f7e11'
    const detail = `The payout of 10 INR over UPI failed: closed. Transaction ${id}.`
    const at = app.clock.now().toISOString()
    await report({ events: [{ kind: 'payout-failed', subject: 'order-9', detail, at }] })
    await mailed('owner@notes.example')
    expect(app.mails.at(-1)?.html).toContain(`/workspaces/${anchor.id}/transactions?open=${id}`)
  })

  it('of many subjects is one email', async () => {
    const conditions = Array.from({ length: 25 }, (_, index) => ({
      kind: 'webhook-failing' as const,
      subject: `endpoint-${index}`,
      detail: `Endpoint ${index} does not answer.`,
    }))
    await report({ evaluated: ['webhook-failing'], conditions })
    expect(await mailed('owner@notes.example')).toHaveLength(1)
    expect(app.mails[0]?.text).toContain('And 5 more.')
  })

  it('that comes and goes all the time fills nobody’s mailbox, and webhooks get each change', async () => {
    const body = { url: 'http://hooks.example/in', kinds: [...evaluated] }
    await owner.call(contracts.createNotificationWebhook, { params, body })
    for (let turn = 0; turn < 40; turn++) {
      await report({ evaluated: [...evaluated], conditions: [low] })
      app.clock.advance(1_000)
      await report({ evaluated: [...evaluated] })
      app.clock.advance(1_000)
    }
    expect((await mailed('owner@notes.example')).length).toBe(30)
    expect(sent).toHaveLength(80)
  })
})

describe('an event', () => {
  const failed = {
    kind: 'payout-failed' as const,
    subject: 'order-1',
    detail: 'The payout of 10 INR failed: account closed.',
    at: '2001-01-01T00:00:00.000Z',
  }

  it('is recorded and emailed once for its subject, at a time that can be', async () => {
    await Promise.all([1, 2].map(() => report({ events: [failed] })))
    await report({ events: [failed] })
    expect(await mailed('owner@notes.example')).toEqual(['notes.anchors.localhost: a payout failed'])
    const [event] = await owner.call(contracts.listNotifications, { params })
    expect(event?.endedAt).toBe(event?.startedAt)
    expect(event?.startedAt).toBe(app.clock.now().toISOString())
  })

  it('beyond a thousand in a day of one anchor is not recorded, nor after half a year kept', async () => {
    await app.database.pool.query(
      `insert into notifications (id, anchor_id, kind, subject, detail, event, started_at, ended_at, recorded_at)
       select 'many-' || n, $1, 'payout-failed', 'many-' || n, 'x', true, $2, $2, $2 from generate_series(1, 998) n`,
      [anchor.id, app.clock.now()],
    )
    const subjects = async () => {
      const kept = "select subject from notifications where subject not like 'many-%' order by subject"
      return (await app.database.pool.query<{ subject: string }>(kept)).rows.map(({ subject }) => subject)
    }
    const age = (by: string) =>
      app.database.pool.query(
        `update notifications set recorded_at = recorded_at - $1::interval, ended_at = ended_at - $1::interval`,
        [by],
      )
    const three = ['a', 'b', 'c'].map(subject => ({ ...failed, subject }))
    await report({ events: three, evaluated: [...evaluated], conditions: [low] })
    expect(await subjects()).toEqual(['a', 'treasury'])
    await age('25 hours')
    await report({ events: three })
    expect(await subjects()).toEqual(['a', 'b', 'c', 'treasury'])
    await age('181 days')
    await prune(app)
    expect(await subjects()).toEqual(['treasury'])
  })

  it('tells the owner of a new anchor that it is active, once', async () => {
    const founder = 'founder@newcomer.example'
    const { jobId, anchorId } = await redeemed(app, 'newcomer', { businessEmail: founder })
    const activate = () => app.service.call(activateAnchor, { params: { jobId }, body: stood })
    await activate()
    await activate()
    const subjects = await mailed(founder)
    expect(subjects.filter(subject => subject.includes('the anchor is active'))).toHaveLength(1)
    const newcomer = await signInOperator(app, founder)
    const [event] = await newcomer.call(contracts.listNotifications, { params: { anchorId } })
    expect(event).toMatchObject({ kind: 'anchor-active' })
  })

  it('tells administrators of an application and of the funding account', async () => {
    await app.database.pool.query(
      `insert into administrators (id, email, name, role, password_hash, invited_by)
       values ('adm_1', 'second@windlass.test', 'S', 'operator', '', ''), ('adm_2', 'reader@windlass.test', 'R', 'viewer', '', '')`,
    )
    await submitted(app, { name: 'Nairobi Pay' })
    const funding = { kind: 'funding-low' as const, subject: 'GFUNDING', detail: 'The account holds 3 XLM.' }
    await report({ evaluated: ['funding-low'], conditions: [funding] }, app.service as typeof anchor.client)
    await report({ evaluated: ['funding-low'] }, app.service as typeof anchor.client)
    const subjects = await mailed(testEnv.ADMIN_USERNAME)
    expect(subjects.toSorted()).toEqual([
      'Windlass: a new application was received',
      'Windlass: the funding account has enough XLM again',
      'Windlass: the funding account lacks XLM',
    ])
    expect(await mailed('second@windlass.test')).toHaveLength(3)
    expect(await mailed('reader@windlass.test')).toEqual([])
    expect(app.mails.find(({ subject }) => subject.includes('a new application'))?.text).toContain(
      'Nairobi Pay',
    )
  })
})

describe('an email', () => {
  const preferences = (client: typeof owner) =>
    client.call(contracts.getNotificationPreferences, { params }).then(({ email }) => email)
  const choose = (client: typeof owner, email: contracts.AnchorNotificationKind[]) =>
    client.call(contracts.setNotificationPreferences, { params, body: { email } })

  it('goes to whom chose it: owners get all by default, members none', async () => {
    expect(await preferences(owner)).toContain('payout-failed')
    expect(await preferences(member)).toEqual([])
    await choose(owner, [])
    await choose(member, ['treasury-low'])
    await report({ evaluated: [...evaluated], conditions: [low] })
    expect(await mailed('owner@notes.example')).toEqual([])
    expect(await mailed('member@notes.example')).toHaveLength(1)
    expect(await codeOf(choose(stranger, ['treasury-low']))).toBe('anchor-not-found')
  })

  it('cannot be made by an anchor for administrators, nor by the platform for operators', async () => {
    const funding = { kind: 'funding-low' as const, subject: 'x', detail: 'y' }
    expect(await codeOf(report({ evaluated: ['funding-low'], conditions: [funding] }))).toBe('forbidden')
    const changed = { kind: 'treasury-settings-changed' as const, subject: 'x', detail: 'y' }
    const at = app.clock.now().toISOString()
    expect(await codeOf(report({ events: [{ ...changed, at }] }))).toBe('forbidden')
    const service = app.service as typeof anchor.client
    expect(await codeOf(report({ evaluated: [...evaluated], conditions: [low] }, service))).toBe('forbidden')
    const nobody = clientOf(app.server, { 'x-service-secret': 'x'.repeat(40) })
    expect(await codeOf(report({}, nobody))).toBe('unauthenticated')
    expect(await mailed('owner@notes.example')).toEqual([])
  })

  it('is in Spanish for those who read it, where its sender says it so', async () => {
    await owner.call(chooseOperatorLanguage, { body: { language: 'es' } })
    await report({
      evaluated: [...evaluated],
      conditions: [{ ...low, spanish: 'La tesorería tiene 5 TEST.' }],
    })
    await app.drain()
    const [email] = app.mails.filter(mail => mail.to === 'owner@notes.example')
    expect(email?.text).toContain('La tesorería tiene 5 TEST.')
    expect(email?.text).not.toContain('The treasury')
    const [row] = await owner.call(contracts.listNotifications, { params })
    expect(row).toMatchObject({ detail: low.detail, spanish: 'La tesorería tiene 5 TEST.' })
    await owner.call(chooseOperatorLanguage, { body: { language: 'en' } })
  })

  it('carries a stranger’s text as text', async () => {
    const detail = '<b>Pay</b> http://evil.example\nBcc: all@example'
    await report({ evaluated: [...evaluated], conditions: [{ ...low, detail }] })
    await app.drain()
    expect(app.mails[0]?.html).not.toContain('<b>Pay</b>')
    expect(app.mails[0]?.subject).toBe('notes.anchors.localhost: the treasury is low')
  })
})

describe('a notification webhook', () => {
  const add = (kinds: contracts.AnchorNotificationKind[], url = 'https://hooks.example/in') =>
    owner.call(contracts.createNotificationWebhook, { params, body: { url, kinds } })

  it('gets the changes it asked for, signed, and shows its last failure until one succeeds', async () => {
    const { secret, id } = await add(['treasury-low'])
    status = 500
    const other = { kind: 'xlm-low' as const, subject: 'xlm', detail: 'XLM is missing.' }
    await report({ evaluated: ['treasury-low', 'xlm-low'], conditions: [low, other] })
    await app.drain()
    expect(sent).toHaveLength(1)
    const { body = '', headers = {} } = sent[0]?.init ?? {}
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'notification.started',
      data: { anchorId: anchor.id, kind: 'treasury-low', detail: low.detail, endedAt: null },
    })
    const list = () => owner.call(contracts.listNotificationWebhooks, { params })
    expect((await list())[0]).toMatchObject({ lastError: 'the endpoint answered 500' })
    expect(JSON.stringify(await list())).not.toContain(secret)

    status = 204
    await owner.call(contracts.testNotificationWebhook, { params: { ...params, id } })
    await app.drain()
    expect(JSON.parse(sent.at(-1)?.init.body ?? '')).toMatchObject({ type: 'notification.test' })
    expect((await list())[0]).toMatchObject({ lastError: null })
    await owner.call(contracts.deleteNotificationWebhook, { params: { ...params, id } })
    expect(await list()).toEqual([])
    const audit = await owner.call(getWorkspaceAudit, { params })
    expect(audit.slice(0, 2).map(({ action }) => action)).toEqual([
      'notification-webhook.removed',
      'notification-webhook.added',
    ])
  })

  it('of Slack gets sentences with a link, and its address is shown and stored nowhere', async () => {
    const url = 'https://hooks.slack.example/services/T0/B0/very-secret'
    const body = { url, kinds: [...evaluated], format: 'slack' as const }
    const added = await owner.call(contracts.createNotificationWebhook, { params, body })
    expect(added).toMatchObject({ url: 'https://hooks.slack.example/…', format: 'slack', secret: '' })
    await report({ evaluated: [...evaluated], conditions: [{ ...low, detail: 'Low <!channel> & more' }] })
    await report({ evaluated: [...evaluated] })
    await owner.call(contracts.testNotificationWebhook, { params: { ...params, id: added.id } })
    await app.drain()
    const texts = sent.map(({ init }) => (JSON.parse(init.body ?? '') as { text: string }).text)
    expect(texts.map(text => text.split('\n')[0]).toSorted()).toEqual([
      '*notes.anchors.localhost: the treasury is low*',
      '*notes.anchors.localhost: the treasury is no longer low*',
      'A test of the notifications of notes.anchors.localhost.',
    ])
    const begun = texts.find(text => text.includes('is low'))
    expect(begun).toContain('Low &lt;!channel&gt; &amp; more')
    expect(begun).toContain(`/workspaces/${anchor.id}/treasury|Open the console>`)
    expect(new Set(sent.map(each => each.url))).toEqual(new Set([url]))
    expect(JSON.stringify(await owner.call(contracts.listNotificationWebhooks, { params }))).not.toContain(
      'very-secret',
    )
    expect(await findTexts(app.database.url, ['very-secret'])).toEqual([])
  })

  it('is tested a few times at once at most', async () => {
    const { id } = await add([...evaluated])
    const one = { params: { ...params, id } }
    await owner.call(contracts.testNotificationWebhook, one)
    await app.database.pool.query('update rate_limits set points = 1000 where key = $1', [
      `notification-tests:${anchor.id}`,
    ])
    expect(await codeOf(owner.call(contracts.testNotificationWebhook, one))).toBe('too-many-requests')
    expect(await mailed('owner@notes.example')).toEqual([])
    expect(sent).toHaveLength(1)
    await app.database.pool.query('delete from rate_limits')
  })

  it('is tested by many at once, who hold no connection while they are counted', async () => {
    const { id } = await add([...evaluated])
    const one = { params: { ...params, id } }
    const many = Array.from({ length: 3 * app.database.pool.options.max }, async () =>
      owner.call(contracts.testNotificationWebhook, one).then(
        () => 'tested',
        (error: unknown) => codeOf(Promise.reject(error)),
      ),
    )
    const answers = new Set(await Promise.all(many))
    expect(answers).toContain('tested')
    expect(answers).not.toContain('dependency-unavailable')
    await app.drain()
    await app.database.pool.query('delete from rate_limits')
  })

  it('is the team’s owners’ and admins’ to change, after a fresh confirmation, and ten at most', async () => {
    const body = { url: 'https://hooks.example/in', kinds: [...evaluated] }
    expect(await codeOf(member.call(contracts.createNotificationWebhook, { params, body }))).toBe('forbidden')
    expect(await codeOf(stranger.call(contracts.listNotificationWebhooks, { params }))).toBe(
      'anchor-not-found',
    )
    const { id } = await add([...evaluated])
    const one = { params: { ...params, id } }
    expect(await codeOf(member.call(contracts.deleteNotificationWebhook, one))).toBe('forbidden')
    expect(await codeOf(member.call(contracts.testNotificationWebhook, one))).toBe('forbidden')
    const foreign = await activeAnchor(app, stranger.user.id, 'foreign-notes')
    const elsewhere = { params: { anchorId: foreign.id, id } }
    expect(await codeOf(stranger.call(contracts.deleteNotificationWebhook, elsewhere))).toBe(
      'webhook-endpoint-not-found',
    )
    expect(await codeOf(stranger.call(contracts.testNotificationWebhook, elsewhere))).toBe(
      'webhook-endpoint-not-found',
    )
    for (const url of ['https://user:secret@hooks.example/', 'ftp://hooks.example/'])
      expect(await codeOf(add([...evaluated], url))).toBe('validation-failed')
    const rest = await Promise.allSettled(Array.from({ length: 12 }, () => add([...evaluated])))
    expect(rest.filter(each => each.status === 'fulfilled')).toHaveLength(9)
    await app.database.pool.query(
      `update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`,
      [owner.user.id],
    )
    expect(await codeOf(add([...evaluated]))).toBe('confirmation-needed')
    expect(await codeOf(owner.call(contracts.deleteNotificationWebhook, one))).toBe('confirmation-needed')
    expect(await owner.call(contracts.listNotificationWebhooks, { params })).toHaveLength(10)
  })
})
