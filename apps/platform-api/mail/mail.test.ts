import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import {
  deleteCustomerAccount,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import {
  chooseAdminLanguage,
  chooseCustomerLanguage,
  chooseOperatorLanguage,
  emailLanguages,
  listEmails,
  previewEmail,
} from '@windlass/contracts/platform/emails.ts'
import { NotificationKind } from '@windlass/contracts/platform/notifications.ts'
import fc from 'fast-check'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signInAdmin, type TestApp, testApp, testEnv } from '../testing/app.ts'
import { mailedCode, signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { createMailer, type Mailer } from '../infrastructure/mailer.ts'
import { declaredEmails, enqueueEmail, formatEmail, oneLine } from './email.ts'
import { findLanguage } from './languages.ts'

interface Received {
  from: string
  to: string[]
  data: string
}

/** As much of a mail server (RFC 5321) as it takes to see what is sent. */
function mailServer() {
  const received: Received[] = []
  const server = createServer(socket => {
    socket.setEncoding('utf8').on('error', () => undefined)
    socket.write('220 test\r\n')
    converse(socket, received)
  })
  return { received, server }
}

function converse(socket: Socket, received: Received[]): void {
  let text = ''
  let inData = false
  let mail: Received = { from: '', to: [], data: '' }
  const answer = (line: string): string => {
    if (/^EHLO/i.test(line)) return '250 test'
    if (/^MAIL FROM:/i.test(line)) {
      mail = { from: line, to: [], data: '' }
      return '250 ok'
    }
    if (/^RCPT TO:/i.test(line)) {
      mail.to.push(/<(.*)>/.exec(line)?.[1] ?? line)
      return '250 ok'
    }
    inData = /^DATA/i.test(line)
    return inData ? '354 go on' : '250 ok'
  }
  socket.on('data', chunk => {
    text += String(chunk)
    for (;;) {
      const end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const part = text.slice(0, end)
      text = text.slice(end + (inData ? 5 : 2))
      if (inData) {
        received.push({ ...mail, data: part })
        inData = false
        socket.write('250 kept\r\n')
      } else socket.write(`${answer(part)}\r\n`)
    }
  })
}

const hostile = 'Acme <script>alert(1)</script> & "Söhne"\r\nBcc: victim@evil.example\r\n\r\nhello'

describe('a mail that is sent', () => {
  const { received, server } = mailServer()
  let mailer: Mailer
  beforeAll(async () => {
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    mailer = createMailer(`smtp://127.0.0.1:${port}`, 'Windlass <no-reply@windlass.test>')
  })
  afterAll(() => {
    mailer.close()
    server.close()
  })
  beforeEach(() => {
    received.length = 0
  })

  it('goes to one address in plain text and HTML, and no name in it adds a header or a recipient', async () => {
    const parts = formatEmail({ subject: `Hello ${hostile}`, paragraphs: [`Dear ${hostile}`] })
    await mailer.send({ to: 'founder@mumbai.example', ...parts, messageId: '<1@windlass>' })
    const [mail] = received
    expect(received).toHaveLength(1)
    expect(mail?.to).toEqual(['founder@mumbai.example'])
    const headers = mail?.data.split('\r\n\r\n')[0] ?? ''
    expect(headers).not.toMatch(/^bcc:/im)
    expect(headers).toMatch(/^message-id: <1@windlass>$/im)
    expect(headers).toMatch(/^content-type: multipart\/alternative/im)
    expect(mail?.data).toMatch(/content-type: text\/plain/i)
    expect(mail?.data).toMatch(/content-type: text\/html/i)
    expect(mail?.data.split(/content-type: text\/html/i)[1]).not.toContain('<script>')
  })

  it.each(['a@b.example, c@d.example', 'a@b.example>\r\nRCPT TO:<c@d.example'])(
    'never goes to two for the address %j',
    async to => {
      await mailer
        .send({ to, ...formatEmail({ subject: 'x', paragraphs: ['y'] }), messageId: '<2@windlass>' })
        .catch(() => undefined)
      for (const mail of received) expect(mail.to.length).toBeLessThan(2)
    },
  )
})

describe('an email', () => {
  it('escapes whatever stands in it, in every place', () => {
    const marks = fc.constantFrom('<', '>', '&', '"', "'", 'a', '\n', '\r', '\u2028', 'é')
    const text = fc.string({ unit: marks }).map(marked => `x${marked}`)
    const everywhere = (one: string) =>
      formatEmail({
        subject: one,
        paragraphs: [one],
        link: { label: one, url: one },
        code: one,
        footnote: one,
        sender: { name: one, color: one, logoUrl: one, supportEmail: one },
      })
    const tagsOf = (html: string) =>
      html
        .replaceAll('<br>', '')
        .match(/<[^>]*>/g)
        ?.map(tag => tag.split(/[ >]/)[0])
    const own = tagsOf(everywhere('x').html)
    fc.assert(
      fc.property(text, given => {
        const made = everywhere(given)
        expect(tagsOf(made.html)).toEqual(own)
        expect(made.html).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/)
        expect(made.subject).not.toMatch(/[\r\n\u2028]/)
      }),
    )
  })

  it('has a subject of one line and bounded length', () => {
    expect(oneLine('a\r\nb\tc')).toBe('a b c')
    expect(oneLine('x'.repeat(500))).toHaveLength(200)
  })
})

let app: TestApp
let failures = 0
const sent: Parameters<Mailer['send']>[0][] = []
beforeAll(async () => {
  const mailer: Mailer = {
    send: async mail => {
      if (failures-- > 0) throw new Error('421 come back later')
      sent.push(mail)
    },
    close: () => undefined,
  }
  app = { ...(await testApp({ deps: { mailer } })), mails: sent }
})
afterAll(() => app.close())

describe('enqueueing an email', () => {
  const secret = formatEmail({ subject: 'Code', paragraphs: ['482913'] })
  const post = (key: string) =>
    app.database.db
      .transaction()
      .execute(tx => enqueueEmail(tx, app.deps.sealer, key, 'a@b.example', () => secret))

  it('is stored sealed until it is delivered and is wiped then', async () => {
    failures = 1
    await post('sealed')
    const lying = async () =>
      (await app.database.pool.query(`select * from outbox where key = 'sealed'`)).rows[0]
    expect(JSON.stringify(await lying())).not.toContain('482913')
    await app.drain()
    expect(await lying()).toMatchObject({ attempts: 1, delivered_at: null, sealed: expect.any(Buffer) })
    await app.database.pool.query('update outbox set next_at = now()')
    await app.drain()
    expect(await lying()).toMatchObject({
      attempts: 2,
      delivered_at: expect.any(Date),
      sealed: null,
      payload: null,
    })
    expect(sent).toHaveLength(1)
  })

  it('is done once for a key, and not at all where the transaction fails', async () => {
    sent.length = 0
    await post('once')
    await post('once')
    const failing = app.database.db.transaction().execute(async tx => {
      await enqueueEmail(tx, app.deps.sealer, 'never', 'a@b.example', () => secret)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    await app.drain()
    expect(sent).toHaveLength(1)
  })

  it('carries the same Message-ID in every attempt', async () => {
    sent.length = 0
    await post('repeated')
    await app.drain()
    await app.database.pool.query(
      `update outbox set delivered_at = null, next_at = now(), sealed = $1 where key = 'repeated'`,
      [app.deps.sealer.seal(JSON.stringify({ to: 'a@b.example', ...secret }), 'outbox:mail:repeated')],
    )
    await app.drain()
    expect(sent).toHaveLength(2)
    expect(sent[0]?.messageId).toBe(sent[1]?.messageId)
  })
})

describe('the emails that administrators see', () => {
  const others = [
    'administrator-invited',
    'administrator-password-changed',
    'administrator-removed',
    'administrator-role-changed',
    'anchor-removed',
    'application-approved',
    'application-received',
    'application-rejected',
    'ledger-reset',
    'manager-added',
    'manager-removed',
    'member-added',
    'recovery-code-used',
    'recovery-codes-replaced',
    'second-factor-added',
    'second-factor-removed',
    'second-factors-reset',
    'sign-in-code',
    'sign-in-code-at-anchor',
    'single-sign-on-changed',
    'wallet-linked',
    'wallet-waiting',
  ]

  it('are all that the platform sends: no slice formats one without declaring it', async () => {
    const admin = await signInAdmin(app)
    const names = (await admin.call(listEmails)).map(({ name }) => name)
    const started = names.filter(name => !name.endsWith('-ended')).sort()
    const notifications = NotificationKind.enum.map(kind => `notification-${kind}`)
    expect(started).toEqual([...others, ...notifications].sort())
    expect(names).toContain('notification-treasury-low-ended')
    const root = new URL('../', import.meta.url)
    const sources = globSync('**/*.ts', { cwd: root }).filter(
      name => !name.startsWith('mail/') && !name.endsWith('.test.ts'),
    )
    expect(sources.length).toBeGreaterThan(100)
    for (const name of sources) {
      expect(await readFile(new URL(name, root), 'utf8'), name).not.toContain('formatEmail')
    }
  })

  it('are written in each language, as text and HTML, with sample data in every place', async () => {
    const admin = await signInAdmin(app)
    for (const { name, recipients, versions } of await admin.call(listEmails)) {
      expect(recipients, name).not.toEqual([])
      expect(versions.map(({ language }) => language)).toEqual([...emailLanguages])
      expect(new Set(versions.map(({ subject }) => subject)).size, name).toBe(emailLanguages.length)
      for (const { language, subject, text } of versions) {
        const html = await preview(admin.cookies.header(), name, language)
        expect(html.headers['content-type']).toBe('text/html; charset=utf-8')
        expect(html.body).toContain(`<html lang="${language}">`)
        for (const part of [subject, text, html.body]) {
          expect(part, name).not.toMatch(/undefined|null|NaN|\[object/)
          expect(part.trim(), name).not.toBe('')
        }
        expect(text, name).toMatch(language === 'es' ? /^Hola:/ : /^Hello,/)
      }
    }
  })

  it('are pages that run nothing and that only a page of the same origin frames', async () => {
    const admin = await signInAdmin(app)
    const { headers } = await preview(admin.cookies.header(), 'sign-in-code', 'en')
    const policy = String(headers['content-security-policy'])
    for (const part of ["default-src 'none'", "frame-ancestors 'self'", 'sandbox'])
      expect(policy.split('; ')).toContain(part)
    expect(policy).not.toContain('script-src')
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect((await preview(admin.cookies.header(), 'no-such-email', 'en')).statusCode).toBe(404)
    expect((await preview('', 'sign-in-code', 'en')).statusCode).toBe(401)
  })

  const preview = (cookie: string, name: string, language: string) =>
    app.server.app.inject({
      url: `${previewEmail.path.replace(':name', name)}?language=${language}`,
      headers: { host: 'localhost:4000', ...(cookie ? { cookie } : {}) },
    })
})

describe('an email of a sandbox', () => {
  it('says so in its subject and above its text, in its language, and in what administrators see', async () => {
    const sandbox = await testApp({ env: { LIVE_URL: 'https://console.example.org' } })
    const code = () => formatEmail({ subject: 'Code', paragraphs: ['482913'] })
    await sandbox.database.db.transaction().execute(async tx => {
      await enqueueEmail(tx, sandbox.deps.sealer, 'one', 'a@b.example', code, 'en')
      await enqueueEmail(tx, sandbox.deps.sealer, 'other', 'a@b.example', code, 'es')
    })
    await sandbox.drain()
    const of = (subject: string) => sandbox.mails.find(mail => mail.subject === subject)
    const [english, spanish] = [of('Sandbox: Code'), of('Entorno de pruebas: Code')]
    expect(english?.text).toMatch(/^Sandbox: no real money\n\n482913/)
    expect(english?.html).toMatch(/<body[^>]*><p[^>]*>Sandbox: no real money<\/p>/)
    expect(spanish?.text).toMatch(/^Entorno de pruebas: sin dinero real\n\n482913/)
    const admin = await signInAdmin(sandbox)
    const [email] = await admin.call(listEmails)
    expect(email?.versions.map(({ subject }) => subject.split(':')[0])).toEqual([
      'Sandbox',
      'Entorno de pruebas',
    ])
    for (const path of ['/docs/problems/not-found', '/docs', '/docs/site/guides/founders.html']) {
      const page = await sandbox.server.app.inject({ url: path, headers: { accept: 'text/html' } })
      expect([path, page.body.match(/<main[^>]*><p class="band">[^<]*/)?.[0]]).toEqual([
        path,
        expect.stringMatching(/Sandbox: no real money$/),
      ])
    }
    await sandbox.close()
  })
})

describe('the language of an email', () => {
  const spanish = { 'accept-language': 'es-MX,es;q=0.9,en;q=0.5' }
  const languageOf = (address: string) => findLanguage(app.database.db, address)
  /** The newest subject that was sent to an address. */
  const newest = async (address: string) => {
    await app.drain()
    return sent.findLast(({ to }) => to === address)?.subject
  }
  const signIn = async (email: string, headers: Record<string, string>) => {
    const customer = app.client(headers)
    await customer.call(requestCustomerCode, { body: { email } })
    await customer.call(verifyCustomerCode, { body: { email, code: await mailedCode(app, email) } })
    return customer
  }

  it('is English for an address that nobody has signed in with', async () => {
    expect(await languageOf('nobody@customer.example')).toBe('en')
  })

  it('is the one of the browser that signed in last, until the person chooses one', async () => {
    const email = 'asha@customer.example'
    const customer = await signIn(email, spanish)
    expect(await languageOf('Asha@Customer.example')).toBe('es')
    await signIn(email, {})
    expect(await languageOf(email)).toBe('es')
    await signIn(email, { 'accept-language': 'en' })
    expect(await languageOf(email)).toBe('en')
    await customer.call(chooseCustomerLanguage, { body: { language: 'es' } })
    await signIn(email, { 'accept-language': 'en' })
    expect(await languageOf(email)).toBe('es')
    await signIn(email, { 'accept-language': 'es', cookie: 'windlass_language=en' })
    expect(await languageOf(email)).toBe('en')
  })

  it('is chosen by operators and administrators for themselves', async () => {
    const operator = await signInOperator(app, 'ravi@operator.example')
    await operator.call(chooseOperatorLanguage, { body: { language: 'es' } })
    expect(await languageOf('ravi@operator.example')).toBe('es')
    const admin = await signInAdmin(app)
    await admin.call(chooseAdminLanguage, { body: { language: 'es' } })
    expect(await languageOf(testEnv.ADMIN_USERNAME)).toBe('es')
    await app.client({ cookie: 'windlass_language=en' }).call(adminLogin, {
      body: { email: testEnv.ADMIN_USERNAME, password: testEnv.ADMIN_PASSWORD },
    })
    expect(await languageOf(testEnv.ADMIN_USERNAME)).toBe('en')
  })

  it('is that of the person it goes to', async () => {
    await signIn('mira@customer.example', spanish)
    const email = declaredEmails().get('second-factors-reset')!.sample
    for (const to of ['mira@customer.example', 'other@customer.example']) {
      await app.database.db
        .transaction()
        .execute(tx => enqueueEmail(tx, app.deps.sealer, `language:${to}`, to, email))
    }
    expect(await newest('mira@customer.example')).toBe('Se restablecieron sus segundos factores')
    expect(await newest('other@customer.example')).toBe('Your second factors were reset')
  })

  it('is that of the page on which an application was sent, for every email about it', async () => {
    const businessEmail = 'sol@empresa.example'
    const body = { companyProfile: { name: 'Sol Pagos', businessEmail } }
    const { id } = await app.client(spanish).call(submitApplication, { body })
    expect(await newest(businessEmail)).toBe('Recibimos su solicitud de un anchor')
    const admin = await signInAdmin(app)
    await admin.call(approveApplication, { params: { id } })
    expect(await newest(businessEmail)).toBe('Sol Pagos está aprobada: cree su anchor')
    // Anyone can name any address in an application: it is no account's language.
    expect(await languageOf(businessEmail)).toBe('en')
  })

  it('is forgotten with the account of a customer', async () => {
    const email = 'gone@customer.example'
    const customer = await signInCustomer(app, email)
    await customer.call(chooseCustomerLanguage, { body: { language: 'es' } })
    await customer.call(requestCustomerCode, { body: { email, purpose: 'deletion' } })
    const code = await mailedCode(app, email)
    await customer.call(deleteCustomerAccount, { body: { code } })
    expect(await languageOf(email)).toBe('en')
  })
})
