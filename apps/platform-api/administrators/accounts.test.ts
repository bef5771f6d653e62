import {
  acceptAdministratorInvitation,
  changeAdministrator,
  changeAdministratorPassword,
  inviteAdministrator,
  listAdministratorInvitations,
  listAdministrators,
  removeAdministrator,
  resetAdministratorSecondFactors,
  revokeAdministratorInvitation,
  verifyAdministratorInvitation,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import {
  adminLogin,
  adminMe,
  confirmAdministrator,
  listAdminSessions,
  listAudit,
} from '@windlass/contracts/platform/administrators.ts'
import {
  approveApplication,
  listApplications,
  rejectApplication,
} from '@windlass/contracts/platform/applications.ts'
import { adminSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { sql } from 'kysely'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { softAuthenticator } from '../testing/authenticator.ts'
import { clientOf, productionEnv, signInAdmin, type TestApp, testApp, testEnv } from '../testing/app.ts'
import {
  ADMINISTRATORS_PASSWORD as password,
  mailedInvitation,
  signInAdministrator,
} from '../testing/sign-in.ts'
import { refusal, submitted } from '../testing/story.ts'

let app: TestApp
let first: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  app = await testApp()
  first = await signInAdmin(app)
})
afterAll(() => app.close())

const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
const idOf = async (email: string) =>
  (await first.call(listAdministrators)).find(({ username }) => username === email)?.id ?? 'none'
const params = async (email: string) => ({ id: await idOf(email) })
const accept = (token: string, changes: object = {}) =>
  app.client().call(acceptAdministratorInvitation, { body: { token, name: 'Ada', password, ...changes } })
const signIn = (email: string, given = password) => {
  const client = app.client()
  return client.call(adminLogin, { body: { email, password: given } }).then(() => client)
}
const makeStale = (username: string) =>
  sql`update sessions set confirmed_at = now() - interval '16 minutes' where subject = ${username}`.execute(
    app.database.db,
  )

describe('an invitation', () => {
  const invite = (email: string, role: 'viewer' | 'operator' | 'owner' = 'viewer') =>
    first.call(inviteAdministrator, { body: { email, role } })

  it('makes an administrator with a password, sessions and a name of their own', async () => {
    const email = 'ada@windlass.test'
    const invitation = await invite('Ada@Windlass.test', 'operator')
    expect(invitation).toMatchObject({ email, role: 'operator', invitedBy: testEnv.ADMIN_USERNAME })
    expect(await first.call(listAdministratorInvitations)).toEqual([invitation])
    const token = await mailedInvitation(app, email)
    expect(await app.client().call(verifyAdministratorInvitation, { body: { token } })).toMatchObject({
      email,
      role: 'operator',
    })
    expect(await accept(token)).toEqual({ username: email, role: 'operator' })
    const ada = await signIn('ADA@windlass.test')
    expect(await ada.call(adminMe)).toMatchObject({ username: email, role: 'operator', fromSettings: false })
    expect(await ada.call(listAdminSessions)).toHaveLength(1)
    expect(await first.call(listAdministratorInvitations)).toEqual([])
    expect(await first.call(listAdministrators)).toMatchObject([
      { id: 'settings', username: testEnv.ADMIN_USERNAME, role: 'owner', fromSettings: true },
      {
        username: email,
        name: 'Ada',
        role: 'operator',
        secondFactor: false,
        lastSignInAt: expect.any(String),
      },
    ])
    const audited = await first.call(listAudit, { query: { subject: `administrator:${email}` } })
    expect(audited.map(({ actor, action }) => [actor, action])).toEqual([
      [`admin:${email}`, 'administrator.joined'],
      [`admin:${testEnv.ADMIN_USERNAME}`, 'administrator.invited'],
    ])
  })

  it('works once, however many bring it at once', async () => {
    await invite('once@windlass.test')
    const token = await mailedInvitation(app, 'once@windlass.test')
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => accept(token)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await codeOf(accept(token))).toBe('invitation-gone')
  })

  it('ends when it is revoked, replaced, seven days old, or its sender is no owner any more', async () => {
    const email = 'late@windlass.test'
    const { id } = await invite(email)
    const revoked = await mailedInvitation(app, email)
    await first.call(revokeAdministratorInvitation, { params: { id } })
    expect(await codeOf(first.call(revokeAdministratorInvitation, { params: { id } }))).toBe(
      'invitation-not-found',
    )
    await invite(email)
    const replaced = await mailedInvitation(app, email)
    await invite(email)
    const old = await mailedInvitation(app, email)
    await sql`update administrator_invitations set expires_at = now() where email = ${email}`.execute(
      app.database.db,
    )
    const owner = await signInAdministrator(app, 'sender@windlass.test', 'owner')
    await owner.call(inviteAdministrator, { body: { email: 'friend@windlass.test', role: 'owner' } })
    const friends = await mailedInvitation(app, 'friend@windlass.test')
    await first.call(changeAdministrator, {
      params: await params('sender@windlass.test'),
      body: { role: 'viewer' },
    })
    for (const token of [revoked, replaced, old, friends, 'unknown']) {
      expect(await codeOf(accept(token))).toBe('invitation-gone')
      const verify = app.client().call(verifyAdministratorInvitation, { body: { token } })
      expect(await codeOf(verify)).toBe('invitation-gone')
    }
    expect(await codeOf(signIn(email))).toBe('login-failed')
  })

  it('is not for someone who administers already, and its password must be hard to guess', async () => {
    await signInAdministrator(app, 'known@windlass.test', 'viewer')
    for (const email of ['known@windlass.test', testEnv.ADMIN_USERNAME, 'ADMIN@windlass.test']) {
      expect(await codeOf(invite(email))).toBe('already-an-administrator')
    }
    await invite('weak@windlass.test')
    const token = await mailedInvitation(app, 'weak@windlass.test')
    for (const weak of ['short7#Kq', 'Password123456!', 'weak@windlass.test']) {
      expect(await codeOf(accept(token, { password: weak }))).toBe('validation-failed')
    }
    expect((await accept(token)).role).toBe('viewer')
  })
})

describe('a role', () => {
  it('counts from the next request on', async () => {
    const email = 'rise@windlass.test'
    const admin = await signInAdministrator(app, email, 'viewer')
    const id = await submitted(app)
    const approve = () => admin.call(approveApplication, { params: { id } })
    expect((await admin.call(listApplications, { query: {} })).length).toBeGreaterThan(0)
    const refused = await refusal(approve())
    expect([refused.status, refused.problem.code, refused.message]).toEqual([
      403,
      'role-needed',
      expect.stringContaining('role operator'),
    ])
    await first.call(changeAdministrator, { params: await params(email), body: { role: 'operator' } })
    expect((await approve()).status).toBe('approved')
    expect(await codeOf(admin.call(inviteAdministrator, { body: { email, role: 'owner' } }))).toBe(
      'role-needed',
    )
    await first.call(changeAdministrator, { params: await params(email), body: { role: 'viewer' } })
    expect(await codeOf(approve())).toBe('role-needed')
    await app.drain()
    expect(app.mails.filter(({ to, subject }) => to === email && /role/.test(subject))).toHaveLength(2)
  })

  it('of the owner whom the settings name stays, so that there is always an owner', async () => {
    const owner = await signInAdministrator(app, 'second@windlass.test', 'owner')
    const settings = { params: { id: 'settings' } }
    for (const caller of [owner, first]) {
      expect(await codeOf(caller.call(removeAdministrator, settings))).toBe('owner-from-settings')
      const demote = caller.call(changeAdministrator, { ...settings, body: { role: 'viewer' } })
      expect(await codeOf(demote)).toBe('owner-from-settings')
      const reset = caller.call(resetAdministratorSecondFactors, { ...settings, body: { reason: 'x' } })
      expect(await codeOf(reset)).toBe('owner-from-settings')
    }
    const body = { password: 'eight otters under oaks' }
    expect(await codeOf(first.call(changeAdministratorPassword, { body }))).toBe('owner-from-settings')
    expect((await signInAdmin(app).then(admin => admin.call(adminMe))).role).toBe('owner')
  })

  it('is lost by one of two owners who demote each other at once', async () => {
    const emails = ['left@windlass.test', 'right@windlass.test'] as const
    const [left, right] = [
      await signInAdministrator(app, emails[0], 'owner'),
      await signInAdministrator(app, emails[1], 'owner'),
    ]
    const [ofLeft, ofRight] = [await params(emails[0]), await params(emails[1])]
    const answers = await Promise.allSettled([
      left.call(changeAdministrator, { params: ofRight, body: { role: 'viewer' } }),
      right.call(changeAdministrator, { params: ofLeft, body: { role: 'viewer' } }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const roles = (await first.call(listAdministrators))
      .filter(({ username }) => emails.some(email => email === username))
      .map(({ role }) => role)
    expect(roles.toSorted()).toEqual(['owner', 'viewer'])
  })
})

describe('removal', () => {
  it('ends sessions and the sign-in at once, forgets the second factors, and leaves the name in the log', async () => {
    const email = 'gone@windlass.test'
    const admin = await signInAdministrator(app, email, 'owner')
    const key = softAuthenticator('http://localhost:4002')
    const consoleOf = clientOf(app.server, {
      origin: 'http://localhost:4002',
      cookie: admin.cookies.header(),
    })
    const passkey = key.create(await consoleOf.call(adminSecondFactors.passkeyOptions))
    await consoleOf.call(adminSecondFactors.addPasskey, { body: { name: 'Key', passkey } })
    const id = await idOf(email)
    const listed = (await first.call(listAdministrators)).find(each => each.id === id)
    expect(listed?.secondFactor).toBe(true)
    await admin.call(inviteAdministrator, { body: { email: 'heir@windlass.test', role: 'owner' } })
    const heirs = await mailedInvitation(app, 'heir@windlass.test')

    await first.call(removeAdministrator, { params: { id } })
    expect((await refusal(admin.call(adminMe))).status).toBe(401)
    expect(await codeOf(signIn(email))).toBe('login-failed')
    expect(await codeOf(accept(heirs))).toBe('invitation-gone')
    expect(await codeOf(first.call(removeAdministrator, { params: { id } }))).toBe('administrator-not-found')
    const log = await first.call(listAudit, { query: { actor: `admin:${email}` } })
    expect(log.map(({ action }) => action)).toContain('administrator.invited')

    const again = await signInAdministrator(app, email, 'viewer')
    expect((await again.call(adminMe)).role).toBe('viewer')
    expect((await refusal(admin.call(adminMe))).status).toBe(401)
    expect((await again.call(adminSecondFactors.list)).passkeys).toEqual([])
  })

  it('and a sign-in at the same time leave no session', async () => {
    const email = 'race@windlass.test'
    await signInAdministrator(app, email, 'viewer')
    const id = await idOf(email)
    const signIns = Promise.allSettled(Array.from({ length: 4 }, () => signIn(email)))
    await first.call(removeAdministrator, { params: { id } })
    for (const each of await signIns) {
      if (each.status === 'fulfilled') expect((await refusal(each.value.call(adminMe))).status).toBe(401)
    }
    const { rows } = await sql`select from sessions where subject = ${email} and ended_at is null`.execute(
      app.database.db,
    )
    expect(rows).toEqual([])
  })
})

describe('an administrator who accepted an invitation', () => {
  it('changes the password, which ends the other sessions; confirms with it', async () => {
    const email = 'own@windlass.test'
    const admin = await signInAdministrator(app, email, 'viewer')
    const elsewhere = await signIn(email)
    const change = (to: string) => admin.call(changeAdministratorPassword, { body: { password: to } })
    await makeStale(email)
    expect(await codeOf(change('seven geese over hills'))).toBe('confirmation-needed')
    const confirm = (given: string) => admin.call(confirmAdministrator, { body: { password: given } })
    expect(await codeOf(confirm(testEnv.ADMIN_PASSWORD))).toBe('confirmation-refused')
    await confirm(password)
    expect(await codeOf(change('Password123456!'))).toBe('validation-failed')
    await change('seven geese over hills')
    expect((await refusal(elsewhere.call(adminMe))).status).toBe(401)
    expect(await codeOf(signIn(email))).toBe('login-failed')
    await signIn(email, 'seven geese over hills')
    expect((await admin.call(adminMe)).username).toBe(email)
  })

  it('has no use for the password of the settings, nor its owner for theirs', async () => {
    const email = 'apart@windlass.test'
    await signInAdministrator(app, email, 'viewer')
    expect(await codeOf(signIn(email, testEnv.ADMIN_PASSWORD))).toBe('login-failed')
    expect(await codeOf(signIn(testEnv.ADMIN_USERNAME, password))).toBe('login-failed')
  })

  it('loses the account to the settings where they name the address later', async () => {
    const email = 'named@windlass.test'
    await signInAdministrator(app, email, 'viewer')
    const before = { ...app.config.admin }
    Object.assign(app.config.admin, { username: email, password: 'four herons in reeds' })
    try {
      expect(await codeOf(signIn(email))).toBe('login-failed')
      const owner = await signIn(email, 'four herons in reeds')
      expect(await owner.call(adminMe)).toMatchObject({ role: 'owner', fromSettings: true })
      const listed = await owner.call(listAdministrators)
      expect(listed.filter(({ username }) => username === email)).toHaveLength(1)
    } finally {
      Object.assign(app.config.admin, before)
    }
  })

  it('adds a second factor at the first sign-in in production; an owner resets it', async () => {
    const strict = await testApp({ env: productionEnv })
    const email = 'strict@windlass.test'
    const origin = 'https://admin.windlass.example'
    const enrol = async (who: ReturnType<TestApp['client']>) => {
      const passkey = softAuthenticator(origin).create(await who.call(adminSecondFactors.passkeyOptions))
      await who.call(adminSecondFactors.addPasskey, { body: { name: 'Key', passkey } })
    }
    const signInWith = async (given: { email: string; password: string }) => {
      const client = strict.client({ origin })
      return Object.assign(client, await client.call(adminLogin, { body: given }))
    }
    const owner = await signInWith({ email: testEnv.ADMIN_USERNAME, password: testEnv.ADMIN_PASSWORD })
    await enrol(owner)
    await owner.call(inviteAdministrator, { body: { email, role: 'viewer' } })
    const token = await mailedInvitation(strict, email)
    const body = { token, name: 'Ada', password }
    await strict.client().call(acceptAdministratorInvitation, { body })
    const admin = await signInWith({ email, password })
    expect(admin.awaiting).toBe('enrolment')
    await enrol(admin)
    expect((await signInWith({ email, password })).awaiting).toBe('second-factor')
    const listed = (await owner.call(listAdministrators)).find(({ username }) => username === email)
    expect(listed?.secondFactor).toBe(true)
    await owner.call(resetAdministratorSecondFactors, {
      params: { id: listed?.id ?? '' },
      body: { reason: 'Lost the phone' },
    })
    expect((await refusal(admin.call(adminMe))).status).toBe(401)
    expect((await signInWith({ email, password })).awaiting).toBe('enrolment')
    await strict.close()
  })
})

it.each(['invite', 'change', 'remove', 'reset'] as const)(
  'asks again who it is before an owner may %s, more than 15 minutes after the sign-in',
  async what => {
    const admin = await signInAdmin(app)
    await makeStale(testEnv.ADMIN_USERNAME)
    const one = { params: { id: 'none' } }
    const act = {
      invite: () => admin.call(inviteAdministrator, { body: { email: 'x@windlass.test', role: 'viewer' } }),
      change: () => admin.call(changeAdministrator, { ...one, body: { role: 'viewer' } }),
      remove: () => admin.call(removeAdministrator, one),
      reset: () => admin.call(resetAdministratorSecondFactors, { ...one, body: { reason: 'x' } }),
    }[what]
    expect(await codeOf(act())).toBe('confirmation-needed')
    await admin.call(confirmAdministrator, { body: { password: testEnv.ADMIN_PASSWORD } })
    if (what === 'invite') expect((await act()) as object).toMatchObject({ role: 'viewer' })
    else expect(await codeOf(act())).toBe('administrator-not-found')
  },
)

it('of two administrators who decide on one application at once, one does, and the other learns who', async () => {
  const rival = await signInAdministrator(app, 'rival@windlass.test', 'operator')
  await first.call(confirmAdministrator, { body: { password: testEnv.ADMIN_PASSWORD } })
  const id = await submitted(app)
  const answers = await Promise.allSettled([
    first.call(approveApplication, { params: { id } }),
    rival.call(rejectApplication, { params: { id }, body: { reason: 'No licence' } }),
  ])
  const lost = answers.findIndex(({ status }) => status === 'rejected')
  const names = [testEnv.ADMIN_USERNAME, 'rival@windlass.test']
  const winner = names[1 - lost]
  expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { problem: { code: 'application-already-reviewed', reviewedBy: winner } } },
  ])
  const log = await first.call(listAudit, { query: { subject: `application:${id}` } })
  expect(log.filter(({ action }) => /approved|rejected/.test(action))).toMatchObject([
    { actor: `admin:${winner}` },
  ])
})

it('npm run admin:reset removes the second factors of several, and names who has one where a name is wrong', async () => {
  const emails = ['lost@windlass.test', 'phone@windlass.test', 'kept@windlass.test'] as const
  for (const email of emails) {
    const admin = await signInAdministrator(app, email, 'viewer')
    const headers = { origin: 'http://localhost:4002', cookie: admin.cookies.header() }
    const passkey = softAuthenticator('http://localhost:4002').create(
      await clientOf(app.server, headers).call(adminSecondFactors.passkeyOptions),
    )
    const body = { name: 'Key', passkey }
    await clientOf(app.server, headers).call(adminSecondFactors.addPasskey, { body })
  }
  const script = fileURLToPath(new URL('../second-factors/main.ts', import.meta.url))
  const env = { ...process.env, ...testEnv, PLATFORM_DATABASE_URL: app.database.url }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, emails[0].toUpperCase(), 'nobody@windlass.test', emails[1]],
    { env, encoding: 'utf8' },
  )
  expect([status, stdout.trim().split('\n').length]).toEqual([1, 2])
  expect(stderr).toMatch(/^nobody@windlass\.test: .*Administrators who have one: .*kept@windlass\.test/)
  const listed = await (await signInAdmin(app)).call(listAdministrators)
  const having = emails.filter(email => listed.some(each => each.username === email && each.secondFactor))
  expect(having).toEqual(['kept@windlass.test'])
})
