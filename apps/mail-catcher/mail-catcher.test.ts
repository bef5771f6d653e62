import { createLogger } from '@windlass/service/observe/logger.ts'
import { ConfigError } from '@windlass/service/process/env.ts'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'
import { readMail, type Mail } from './mails/mail.ts'
import { openMailbox } from './mails/mailbox.ts'
import { start } from './start.ts'

const logger = createLogger('test', 'silent')
let folder: string
let running: Awaited<ReturnType<typeof start>>
const config = () => ({ smtpPort: 0, port: 0, bindHost: 'localhost', folder })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-mail-'))
  running = await start(config(), logger)
})
afterAll(async () => {
  await running.stop()
  await rm(folder, { recursive: true })
})
beforeEach(async () => void (await ask('/email/all', { method: 'DELETE' })))

type Message = Parameters<ReturnType<typeof createTransport>['sendMail']>[0]
async function send(message: Message, host = '127.0.0.1', auth?: { user: string; pass: string }) {
  const transport = createTransport({ host, port: running.smtpPort, ...(auth ? { auth } : {}) })
  const sent = { from: 'Windlass <hello@windlass.test>', to: 'founder@acme.test', subject: 'Hi', ...message }
  await transport.sendMail(sent).finally(() => transport.close())
}

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}
function ask(
  path: string,
  { method = 'GET', host = 'localhost:1080', port = running.port } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers: { host } }, response => {
      let text = ''
      response.on('data', data => (text += data))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end()
  })
}
const list = async (query = ''): Promise<Mail[]> => JSON.parse((await ask(`/email${query}`)).text) as Mail[]

describe('a mail', () => {
  it('is kept in the form that MailDev gives', async () => {
    await send({
      to: ['Ada Founder <ada@acme.test>', 'bob@acme.test'],
      bcc: 'hidden@acme.test',
      subject: 'Grüße ✓',
      text: 'Open http://console.localhost/redeem#token=abc',
      html: '<p>Open <a href="http://console.localhost/redeem#token=abc">the link</a></p>',
      headers: { 'x-windlass': 'yes' },
    })
    const [mail, ...others] = await list()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      from: [{ address: 'hello@windlass.test', name: 'Windlass' }],
      to: [
        { address: 'ada@acme.test', name: 'Ada Founder' },
        { address: 'bob@acme.test', name: '' },
      ],
      subject: 'Grüße ✓',
      text: expect.stringContaining('#token=abc'),
      html: expect.stringContaining('#token=abc'),
      read: false,
      headers: expect.objectContaining({ 'x-windlass': 'yes' }),
    })
    expect(mail!.envelope.to.map(to => to.address)).toContain('hidden@acme.test')
    expect(Number.isNaN(Date.parse(mail!.date))).toBe(false)
  })

  it('comes over either loopback address, with any login or none', async () => {
    await send({ text: 'one' })
    await send({ text: 'two' }, '127.0.0.1', { user: 'any', pass: 'thing' })
    await send({ text: 'three' }, '::1').catch((error: { code?: string }) => {
      // A machine without IPv6 has one loopback address.
      if (error.code !== 'ESOCKET') throw error
    })
    expect((await list()).slice(0, 2).map(mail => mail.text.trim())).toEqual(['one', 'two'])
  })

  it('is found by what it has', async () => {
    await send({ to: 'a@acme.test', subject: 'One' })
    await send({ to: 'b@acme.test', subject: 'Two' })
    expect((await list('?to.address=b@acme.test')).map(mail => mail.subject)).toEqual(['Two'])
    expect(await list('?to.address=b@acme.test&subject=One')).toEqual([])
    expect(await list('?__proto__.x=1')).toEqual([])
  })

  it('is read once it is opened, and gone once it is deleted', async () => {
    await send({ subject: 'Read me' })
    const [{ id }] = (await list()) as [Mail]
    expect(JSON.parse((await ask(`/email/${id}`)).text)).toMatchObject({ id, read: true })
    expect((await list())[0]!.read).toBe(true)
    expect((await ask(`/email/${id}`, { method: 'DELETE' })).text).toBe('true')
    expect((await ask(`/email/${id}`)).status).toBe(404)
    expect((await readdir(folder)).filter(name => name.includes(id))).toEqual([])
    expect((await ask('/email/..%2f..%2fetc')).status).toBe(404)
  })

  it('is shown as a page that runs and fetches nothing', async () => {
    await send({ html: '<html><head></head><body><script>alert(1)</script></body></html>' })
    await send({ text: '</pre><script>alert(1)</script>' })
    const [html, text] = await list()
    const page = await ask(`/email/${html!.id}/html`)
    expect(page.headers['content-security-policy']).toMatch(/^sandbox allow-popups [^;]*; default-src 'none'/)
    expect(page.headers['content-security-policy']).not.toContain('allow-scripts')
    expect(page.text).toContain('<head><base target="_blank">')
    expect((await ask(`/email/${text!.id}/html`)).text).not.toContain('<script>')
  })

  it('gives its source and its attachments back', async () => {
    await send({ attachments: [{ filename: 'ü.html', content: '<b>hi</b>' }] })
    const [mail] = await list()
    expect(mail!.attachments).toEqual([expect.objectContaining({ fileName: 'ü.html', length: 9 })])
    const file = await ask(`/email/${mail!.id}/attachment/${encodeURIComponent('ü.html')}`)
    expect(file.text).toBe('<b>hi</b>')
    expect(file.headers['content-type']).toBe('application/octet-stream')
    expect(file.headers['content-disposition']).toMatch(/^attachment/)
    expect((await ask(`/email/${mail!.id}/source`)).text).toMatch(/^Subject: Hi/im)
  })

  it('over 10 MB is refused, and the next one is kept', async () => {
    await expect(send({ text: 'x'.repeat(11 * 2 ** 20) })).rejects.toMatchObject({ responseCode: 552 })
    await send({ subject: 'small' })
    expect((await list()).map(mail => mail.subject)).toEqual(['small'])
  })

  it('that makes no sense is kept as it stands', async () => {
    const envelope = { from: { address: 'a@b.c' }, to: [], remoteAddress: '127.0.0.1' }
    const given = { id: 'x', time: '2026-01-01T00:00:00.000Z', envelope }
    for (const source of [
      '',
      '\0\0\0',
      'Date: never\r\nFrom: <<<>>>\r\n\r\n',
      'Content-Type: multipart/mixed\r\n\r\n--',
    ]) {
      expect(await readMail(Buffer.from(source), given)).toMatchObject({
        id: 'x',
        date: expect.stringMatching(/^\d{4}-.*Z$/),
      })
    }
  })
})

describe('the mailbox', () => {
  it('is there again after a restart, without what was cut off', async () => {
    await send({ subject: 'First' })
    await send({ subject: 'Second' })
    await writeFile(join(folder, '20260101000000000-half.json'), '{"id":"half"')
    await writeFile(join(folder, '20260101000000000-cut.eml'), 'x')
    const second = await start(config(), logger)
    const mails = JSON.parse((await ask('/email', { port: second.port })).text) as Mail[]
    expect(mails.map(mail => mail.subject)).toEqual(['First', 'Second'])
    await second.stop()
    expect(await readdir(folder)).not.toContain('20260101000000000-cut.eml')
  })

  it('can be read by its owner only', async () => {
    await send({})
    for (const name of await readdir(folder)) {
      if (name.includes('half')) continue
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
    }
  })

  it('keeps the newest within its cap', async () => {
    const own = await mkdtemp(join(tmpdir(), 'windlass-cap-'))
    const mailbox = await openMailbox(own, logger, { mails: 3, bytes: 1000 })
    const add = async (id: string, bytes: number, second: number) => {
      const envelope = { from: { address: '' }, to: [], remoteAddress: '' }
      const time = new Date(second * 1000).toISOString()
      const mail = await readMail(Buffer.alloc(bytes, 'x'), { id, time, envelope })
      await mailbox.add(mail, Buffer.alloc(bytes, 'x'))
    }
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) await add(id, 10, index)
    expect(mailbox.list().map(mail => mail.id)).toEqual(['b', 'c', 'd'])
    await add('e', 990, 5)
    expect(mailbox.list().map(mail => mail.id)).toEqual(['d', 'e'])
    expect((await openMailbox(own, logger)).list().map(mail => mail.id)).toEqual(['d', 'e'])
    await rm(own, { recursive: true })
  })
})

describe('the page', () => {
  it('is for this machine only, and well', async () => {
    for (const path of ['/', '/page.js', '/email', '/events']) {
      expect((await ask(path, { host: 'evil.example' })).status).toBe(403)
    }
    expect((await ask('/email/all', { method: 'DELETE', host: 'evil.example' })).status).toBe(403)
    expect((await ask('/', { host: 'mail.localhost' })).text).toContain('<title>Emails')
    expect((await ask('/health', { host: 'mail-catcher:1080' })).status).toBe(200)
  })

  it('answers HEAD of its events at once', async () => {
    const answer = await ask('/events', { method: 'HEAD' })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  it('learns of each new mail', async () => {
    const received = await new Promise<string>((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port: running.port, path: '/events' }, response => {
        let text = ''
        response.on('data', data => {
          text += data
          if (!text.includes('event: change')) return
          resolve(text)
          request.destroy()
        })
        send({ subject: 'news' }).catch(reject)
      })
      request.on('error', reject)
    })
    expect(received).toContain('event: change')
  })
})

it('does not start on the public network', () => {
  expect(() => loadConfig({ IS_MAINNET: 'true', WINDLASS_HOME: '/x' })).toThrow(ConfigError)
  expect(loadConfig({ WINDLASS_HOME: '/x' })).toMatchObject({ smtpPort: 1025, port: 1080, folder: '/x/mail' })
})
