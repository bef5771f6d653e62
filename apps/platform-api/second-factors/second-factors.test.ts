import {
  adminLogin,
  adminMe,
  confirmAdministrator,
  listAdminSessions,
  resetOperatorSecondFactors,
  suspendAnchor,
} from '@windlass/contracts/platform/administrators.ts'
import { downloadExport } from '@windlass/contracts/platform/anchor-life.ts'
import { approveApplication, rejectApplication } from '@windlass/contracts/platform/applications.ts'
import { reissueInvitation } from '@windlass/contracts/platform/invitations.ts'
import {
  confirmOperator,
  getOperatorProfile,
  listOperatorSessions,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import {
  adminSecondFactors,
  operatorSecondFactors as factors,
} from '@windlass/contracts/platform/second-factors.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, productionEnv, signInAdmin, testApp, testEnv } from '../testing/app.ts'
import { softAuthenticator } from '../testing/authenticator.ts'
import { mailedCode, otherCode, signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'
import { stepAt, totp } from './totp.ts'

let app: TestApp
beforeAll(async () => (app = await testApp()))
afterAll(() => app.close())

const CONSOLE = 'http://localhost:4001'
const ADMIN_CONSOLE = 'http://localhost:4002'
const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
type Client = ReturnType<TestApp['client']>

/** A code of the app whose secret this is; `later`: as many steps on. */
function appCode(secret: string, later = 0, on = app): string {
  const bits = [...secret].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map(byte => parseInt(byte, 2))
  return totp(Buffer.from(bytes), stepAt(on.clock.now()) + later)
}

async function addPasskey(operator: Client, name = 'Laptop') {
  const key = softAuthenticator(CONSOLE)
  const passkey = key.create(await operator.call(factors.passkeyOptions))
  const { recoveryCodes } = await operator.call(factors.addPasskey, { body: { name, passkey } })
  return { key, passkey, recoveryCodes }
}

async function addApp(operator: Client) {
  const { secret, uri, qr } = await operator.call(factors.startApp)
  const answer = await operator.call(factors.confirmApp, { body: { code: appCode(secret) } })
  return { secret, uri, qr, ...answer }
}

async function useKey(client: Client, key: ReturnType<typeof softAuthenticator>, how = {}) {
  const { passkey } = await client.call(factors.challenge)
  return client.call(factors.verify, { body: { passkey: key.use(passkey ?? {}, how) } })
}

const emailsTo = async (email: string) => {
  await app.drain()
  return app.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
}
const audited = async (subject: string) => {
  const { rows } = await sql<{
    action: string
  }>`select action from audit_log where subject = ${subject} order by sequence`.execute(app.database.db)
  return rows.map(({ action }) => action)
}
const makeStale = (subject: string) =>
  app.database.db
    .updateTable('sessions')
    .set({ confirmed_at: sql<Date>`now() - interval '16 minutes'` })
    .where('subject', '=', subject)
    .execute()

describe('a passkey', () => {
  it('is added with ten recovery codes, an email and an audit entry, and ends other sessions', async () => {
    const email = 'first@operator.example'
    const elsewhere = await signInOperator(app, email)
    const operator = await signInOperator(app, email)
    const { recoveryCodes } = await addPasskey(operator)
    expect(recoveryCodes).toHaveLength(10)
    for (const code of recoveryCodes ?? []) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    expect(await operator.call(factors.list)).toMatchObject({
      required: false,
      passkeys: [{ name: 'Laptop', lastUsedAt: null }],
      authenticatorApp: null,
      recoveryCodesLeft: 10,
    })
    expect((await refusal(elsewhere.call(getOperatorProfile))).status).toBe(401)
    expect((await addPasskey(operator, 'Phone')).recoveryCodes).toBeUndefined()
    expect(await emailsTo(email)).toContain('A second factor was added to your account')
    expect(await audited(`operator:${operator.user.id}`)).toEqual([
      'second-factor.added',
      'second-factor.added',
    ])
  })

  it('is asked for after the emailed code; until then the session reaches nothing else', async () => {
    const email = 'asked@operator.example'
    const { key } = await addPasskey(await signInOperator(app, email))
    const operator = await signInOperator(app, email)
    expect(operator.user).toMatchObject({ awaiting: 'second-factor' })
    for (const ask of [
      () => operator.call(getOperatorProfile),
      () => operator.call(listOperatorSessions),
      () => operator.call(factors.list),
      () => operator.call(factors.passkeyOptions),
      () => operator.call(factors.startApp),
      () => operator.call(factors.replaceRecoveryCodes),
      () => operator.call(confirmOperator, { body: { password: 'x' } }),
    ]) {
      expect(await codeOf(ask())).toBe('second-factor-needed')
    }
    expect(await codeOf(operator.call(refreshOperatorSession))).toBe('session-expired')
    expect((await operator.call(factors.challenge)).methods).toEqual(['passkey', 'recovery-code'])
    expect(await useKey(operator, key)).toEqual({ ok: true, recoveryCodesLeft: 10 })
    expect((await operator.call(getOperatorProfile)).user.email).toBe(email)
    await operator.call(refreshOperatorSession)
  })

  it('is refused from another page, another person, a copy, a used challenge and another session', async () => {
    const email = 'strict@operator.example'
    const { key, passkey } = await addPasskey(await signInOperator(app, email))
    const operator = await signInOperator(app, email)
    const refusedCode = 'second-factor-refused'
    expect(await codeOf(useKey(operator, key, { from: 'https://console.evil.example' }))).toBe(refusedCode)
    expect(await codeOf(useKey(operator, key, { from: 'http://localhost:4003' }))).toBe(refusedCode)
    const { key: foreign } = await addPasskey(await signInOperator(app, 'foreign@operator.example'))
    expect(await codeOf(useKey(operator, foreign))).toBe(refusedCode)

    const { passkey: options } = await operator.call(factors.challenge)
    const signed = key.use(options ?? {})
    const other = await signInOperator(app, email)
    await other.call(factors.challenge)
    expect(await codeOf(other.call(factors.verify, { body: { passkey: signed } }))).toBe(refusedCode)
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => operator.call(factors.verify, { body: { passkey: signed } })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await codeOf(useKey(operator, key, { count: 1 }))).toBe(refusedCode)

    // A credential of someone else cannot be registered again.
    const thief = await signInOperator(app, 'thief@operator.example')
    await thief.call(factors.passkeyOptions)
    expect(await codeOf(thief.call(factors.addPasskey, { body: { name: 'Mine', passkey } }))).toBe(
      refusedCode,
    )
  })

  it('counts as the confirmation before a dangerous act, which a code or password no longer is', async () => {
    const email = 'careful@operator.example'
    const operator = await signInOperator(app, email)
    const { key } = await addPasskey(operator)
    await makeStale(operator.user.id)
    expect(await codeOf(operator.call(factors.startApp))).toBe('confirmation-needed')
    await operator.call(requestOperatorCode, { body: { email, purpose: 'confirmation' } })
    const code = await mailedCode(app, email)
    expect(await codeOf(operator.call(confirmOperator, { body: { code } }))).toBe('confirmation-refused')
    await useKey(operator, key)
    expect((await operator.call(factors.startApp)).uri).toContain('otpauth://totp/Windlass%3Acareful%40')
  })

  it('is removed by its owner alone; with the last one the recovery codes go', async () => {
    const operator = await signInOperator(app, 'gone@operator.example')
    await addPasskey(operator)
    const { passkeys } = await operator.call(factors.list)
    const params = { id: passkeys[0]?.id ?? '' }
    const stranger = await signInOperator(app, 'stranger@operator.example')
    expect(await codeOf(stranger.call(factors.removePasskey, { params }))).toBe('second-factor-not-found')
    await makeStale(operator.user.id)
    expect(await codeOf(operator.call(factors.removePasskey, { params }))).toBe('confirmation-needed')
    await app.database.db
      .updateTable('sessions')
      .set({ confirmed_at: new Date() })
      .where('subject', '=', operator.user.id)
      .execute()
    await operator.call(factors.removePasskey, { params })
    expect(await operator.call(factors.list)).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 })
    expect(await emailsTo('gone@operator.example')).toContain('A second factor was removed from your account')
    expect((await signInOperator(app, 'gone@operator.example')).user).not.toHaveProperty('awaiting')
  })

  it('is one of at most ten, however many are added at once', async () => {
    const operator = await signInOperator(app, 'many@operator.example')
    for (let n = 0; n < 9; n++) await addPasskey(operator, `Key ${n}`)
    const another = async () => {
      const sibling = app.client()
      for (const [name, value] of operator.cookies.values) sibling.cookies.values.set(name, value)
      return addPasskey(sibling)
    }
    await Promise.allSettled([another(), another(), another()])
    expect((await operator.call(factors.list)).passkeys.length).toBeLessThanOrEqual(10)
    if ((await operator.call(factors.list)).passkeys.length < 10) await addPasskey(operator)
    expect(await codeOf(operator.call(factors.passkeyOptions))).toBe('second-factor-limit')
  })
})

describe('an authenticator app', () => {
  it('is added by a code of it, signs in with each code once, and is stored sealed', async () => {
    const email = 'app@operator.example'
    const operator = await signInOperator(app, email)
    const { secret, recoveryCodes, qr } = await addApp(operator)
    expect(recoveryCodes).toHaveLength(10)
    expect(qr.path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/)
    const { rows } = await sql<{
      text: string
    }>`select encode(secret, 'escape') as text from authenticator_apps`.execute(app.database.db)
    expect(rows.every(({ text }) => !text.includes(secret))).toBe(true)
    expect(await codeOf(operator.call(factors.startApp))).toBe('second-factor-limit')

    const again = await signInOperator(app, email)
    const verify = (code: string) => again.call(factors.verify, { body: { code } })
    // The code that added the app is used.
    expect(await codeOf(verify(appCode(secret)))).toBe('second-factor-refused')
    const next = appCode(secret, 1)
    const answers = await Promise.allSettled([verify(next), verify(next), verify(next)])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // An earlier one than the newest that was used counts no longer either.
    expect(await codeOf(verify(appCode(secret, -1)))).toBe('second-factor-refused')
    app.clock.advance(60_000)
    const code = appCode(secret)
    await verify(`${code.slice(0, 3)} ${code.slice(3)}`)
  })

  it('does not count before its first code, and not for a code of another secret', async () => {
    const operator = await signInOperator(app, 'slow@operator.example')
    const { secret: older } = await operator.call(factors.startApp)
    const { secret } = await operator.call(factors.startApp)
    const confirm = (code: string) => operator.call(factors.confirmApp, { body: { code } })
    expect(await codeOf(confirm(appCode(older)))).toBe('second-factor-refused')
    expect(await codeOf(confirm(otherCode(appCode(secret))))).toBe('second-factor-refused')
    expect((await signInOperator(app, 'slow@operator.example')).user).not.toHaveProperty('awaiting')
    await confirm(appCode(secret))
    expect((await signInOperator(app, 'slow@operator.example')).user).toMatchObject({
      awaiting: 'second-factor',
    })
  })

  it('accepts no code after 20 wrong ones in a day; a recovery code still signs in', async () => {
    const email = 'guessed@operator.example'
    const { secret, recoveryCodes } = await addApp(await signInOperator(app, email))
    app.clock.advance(120_000)
    const operator = await signInOperator(app, email)
    const right = appCode(secret)
    const guess = (code: string) => operator.call(factors.verify, { body: { code } })
    await Promise.allSettled(Array.from({ length: 25 }, (_, n) => guess(otherCode(right, n + 1000))))
    expect(await codeOf(guess(right))).toBe('second-factor-refused')
    await operator.call(factors.verify, { body: { recoveryCode: recoveryCodes?.[0] ?? '' } })
  })
})

describe('a recovery code', () => {
  it('finishes a sign-in once, in whatever form it is typed, and is announced to its owner', async () => {
    const email = 'lost@operator.example'
    const { recoveryCodes = [] } = await addPasskey(await signInOperator(app, email))
    const [code = '', second = ''] = recoveryCodes
    const operator = await signInOperator(app, email)
    const verify = (recoveryCode: string) => operator.call(factors.verify, { body: { recoveryCode } })
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => verify(code.toUpperCase().replaceAll('-', ' '))),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await codeOf(verify(code))).toBe('second-factor-refused')
    expect(await emailsTo(email)).toContain('A recovery code was used')
    const { recoveryCodes: fresh } = await operator.call(factors.replaceRecoveryCodes)
    expect(fresh).toHaveLength(10)
    const later = await signInOperator(app, email)
    expect(await codeOf(later.call(factors.verify, { body: { recoveryCode: second } }))).toBe(
      'second-factor-refused',
    )
    const { rows } = await sql<{
      text: string
    }>`select encode(code_hash, 'escape') as text from recovery_codes`.execute(app.database.db)
    expect(rows.every(({ text }) => !text.includes(fresh[0]?.replaceAll('-', '') ?? '-'))).toBe(true)
  })

  it('of one person is nothing for another, and one proof is asked for', async () => {
    const { recoveryCodes = [] } = await addPasskey(await signInOperator(app, 'mine@operator.example'))
    await addPasskey(await signInOperator(app, 'yours@operator.example'))
    const other = await signInOperator(app, 'yours@operator.example')
    const recoveryCode = recoveryCodes[0] ?? ''
    expect(await codeOf(other.call(factors.verify, { body: { recoveryCode } }))).toBe('second-factor-refused')
    expect(await codeOf(other.call(factors.verify, { body: {} }))).toBe('validation-failed')
    const two = { recoveryCode, code: '123456' }
    expect(await codeOf(other.call(factors.verify, { body: two }))).toBe('validation-failed')
  })

  it('is no guess: ten tries in five minutes', async () => {
    const strict = await testApp({ env: { ...productionEnv, ADMIN_SECOND_FACTOR: 'optional' } })
    const admin = await signInAdmin(strict)
    const verify = () =>
      admin.call(adminSecondFactors.verify, { body: { recoveryCode: 'aaaa-bbbb-cccc-dddd' } })
    const statuses = []
    for (let tries = 0; tries < 11; tries++) statuses.push((await refusal(verify())).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429])
    await strict.close()
  })
})

describe('an unfinished sign-in', () => {
  it('ends after fifteen minutes', async () => {
    const email = 'late@operator.example'
    const { key } = await addPasskey(await signInOperator(app, email))
    const operator = await signInOperator(app, email)
    await sql`update sessions set created_at = created_at - interval '16 minutes' where subject = ${operator.user.id}`.execute(
      app.database.db,
    )
    expect((await refusal(useKey(operator, key))).status).toBe(401)
  })

  it('of one realm cannot be finished in the other', async () => {
    const { recoveryCodes = [] } = await addPasskey(await signInOperator(app, 'realm@operator.example'))
    const operator = await signInOperator(app, 'realm@operator.example')
    const body = { recoveryCode: recoveryCodes[0] ?? '' }
    expect((await refusal(operator.call(adminSecondFactors.verify, { body }))).status).toBe(401)
  })
})

describe('an administrator', () => {
  const body = { username: testEnv.ADMIN_USERNAME, password: testEnv.ADMIN_PASSWORD }

  it('signs in without a second factor in development', async () => {
    const admin = app.client()
    expect(await admin.call(adminLogin, { body })).toEqual({ ok: true, username: testEnv.ADMIN_USERNAME })
  })

  it('adds one at the first sign-in in production, and cannot be without one again', async () => {
    const strict = await testApp({ env: productionEnv })
    const admin = strict.client({ origin: 'https://admin.windlass.example' })
    expect(await admin.call(adminLogin, { body })).toMatchObject({ awaiting: 'enrolment' })
    const late = await signInAdmin(strict)
    const lateKey = softAuthenticator('https://admin.windlass.example')
    const lateOptions = await late.call(adminSecondFactors.passkeyOptions)
    for (const ask of [() => admin.call(adminMe), () => admin.call(listAdminSessions)]) {
      expect(await codeOf(ask())).toBe('second-factor-enrolment-needed')
    }
    const key = softAuthenticator('https://admin.windlass.example')
    const options = await admin.call(adminSecondFactors.passkeyOptions)
    expect(options).toMatchObject({ rp: { id: 'admin.windlass.example' } })
    const added = { name: 'Key', passkey: key.create(options) }
    expect((await admin.call(adminSecondFactors.addPasskey, { body: added })).recoveryCodes).toHaveLength(10)
    expect((await admin.call(adminMe)).username).toBe(testEnv.ADMIN_USERNAME)
    // Another browser with the password only, which began before: its sign-in has ended.
    const lateBody = { name: 'Thief', passkey: lateKey.create(lateOptions) }
    expect((await refusal(late.call(adminSecondFactors.addPasskey, { body: lateBody }))).status).toBe(401)

    const { passkeys } = await admin.call(adminSecondFactors.list)
    const params = { id: passkeys[0]?.id ?? '' }
    expect(await codeOf(admin.call(adminSecondFactors.removePasskey, { params }))).toBe(
      'second-factor-required',
    )
    const again = strict.client({ origin: 'https://admin.windlass.example' })
    expect(await again.call(adminLogin, { body })).toMatchObject({ awaiting: 'second-factor' })
    const { passkey } = await again.call(adminSecondFactors.challenge)
    await again.call(adminSecondFactors.verify, { body: { passkey: key.use(passkey ?? {}) } })
    expect((await again.call(adminMe)).username).toBe(testEnv.ADMIN_USERNAME)
    await strict.close()
  })

  it('with a second factor proves it again before suspending an anchor or deciding who raises one', async () => {
    const admin = app.client({ origin: ADMIN_CONSOLE })
    await admin.call(adminLogin, { body })
    const suspend = () => admin.call(suspendAnchor, { params: { id: 'none' }, body: {} })
    const params = { id: 'none' }
    const decisions = async () => [
      await codeOf(admin.call(approveApplication, { params })),
      await codeOf(admin.call(rejectApplication, { params, body: {} })),
      await codeOf(admin.call(reissueInvitation, { params })),
      await codeOf(admin.open(downloadExport, { params })),
    ]
    await makeStale(testEnv.ADMIN_USERNAME)
    expect(await codeOf(suspend())).toBe('anchor-not-found')
    await admin.call(confirmAdministrator, { body: { password: body.password } })
    expect(await codeOf(admin.call(confirmAdministrator, { body: { password: 'wrong' } }))).toBe(
      'confirmation-refused',
    )

    const key = softAuthenticator(ADMIN_CONSOLE)
    const passkey = key.create(await admin.call(adminSecondFactors.passkeyOptions))
    await admin.call(adminSecondFactors.addPasskey, { body: { name: 'Key', passkey } })
    expect(await codeOf(suspend())).toBe('anchor-not-found')
    await makeStale(testEnv.ADMIN_USERNAME)
    expect(await codeOf(suspend())).toBe('confirmation-needed')
    expect(await decisions()).toEqual(Array(4).fill('confirmation-needed'))
    expect(await codeOf(admin.call(confirmAdministrator, { body: { password: body.password } }))).toBe(
      'confirmation-refused',
    )
    const { passkey: options } = await admin.call(adminSecondFactors.challenge)
    await admin.call(adminSecondFactors.verify, { body: { passkey: key.use(options ?? {}) } })
    expect(await codeOf(suspend())).toBe('anchor-not-found')
    expect(await decisions()).toEqual([
      'application-not-found',
      'application-not-found',
      'invitation-not-found',
      'anchor-not-found',
    ])
    const { passkeys } = await admin.call(adminSecondFactors.list)
    await admin.call(adminSecondFactors.removePasskey, { params: { id: passkeys[0]?.id ?? '' } })
  })
})

it('an administrator resets the second factors of an operator, who signs in and adds a new one', async () => {
  const email = 'reset@operator.example'
  const operator = await signInOperator(app, email)
  await addPasskey(operator)
  const admin = await signInAdmin(app)
  const reset = (address: string) =>
    admin.call(resetOperatorSecondFactors, { body: { email: address, reason: 'Lost the phone' } })
  expect(await codeOf(reset('nobody@operator.example'))).toBe('second-factor-not-found')
  await reset(email.toUpperCase())
  expect((await refusal(operator.call(getOperatorProfile))).status).toBe(401)
  expect(await codeOf(reset(email))).toBe('second-factor-not-found')
  expect(await emailsTo(email)).toContain('Your second factors were reset')
  expect(await audited(`operator:${operator.user.id}`)).toEqual([
    'second-factor.added',
    'second-factor.reset',
  ])
  const again = await signInOperator(app, email)
  expect(again.user).not.toHaveProperty('awaiting')
  expect((await addPasskey(again)).recoveryCodes).toHaveLength(10)
})

it('garbage in place of a passkey is refused without a fault', async () => {
  const operator = await signInOperator(app, 'garbage@operator.example')
  await addPasskey(operator)
  for (const text of [
    '',
    'AA',
    '%%%',
    'eyJ9',
    Buffer.from('{"type":1}').toString('base64url'),
    'x'.repeat(16_000),
  ]) {
    const response = {
      clientDataJSON: text,
      attestationObject: text,
      authenticatorData: text,
      signature: text,
    }
    const passkey = { id: 'x', rawId: 'x', type: 'public-key' as const, response }
    await operator.call(factors.passkeyOptions)
    const add = operator.call(factors.addPasskey, { body: { name: 'x', passkey } })
    expect([400, 403]).toContain((await refusal(add)).status)
    await operator.call(factors.challenge)
    expect((await refusal(operator.call(factors.verify, { body: { passkey } }))).status).toBe(403)
  }
})

it('the code of a sign-in is not asked for again after the second factor', async () => {
  const email = 'whole@operator.example'
  const { key } = await addPasskey(await signInOperator(app, email))
  const operator = app.client()
  await operator.call(requestOperatorCode, { body: { email } })
  const code = await mailedCode(app, email)
  await operator.call(verifyOperatorCode, { body: { email, code } })
  expect((await refusal(operator.call(verifyOperatorCode, { body: { email, code } }))).status).toBe(401)
  await useKey(operator, key)
  expect(await operator.call(listOperatorSessions)).toMatchObject([{ current: true }, { current: false }])
})
