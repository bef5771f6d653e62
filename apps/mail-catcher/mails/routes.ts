import { openEvents } from '@windlass/service/http/events.ts'
import { refuseForeignHost } from '@windlass/service/http/local-page.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { simpleParser } from 'mailparser'
import type { Mail } from './mail.ts'
import type { Mailbox } from './mailbox.ts'

// A mail's page runs nothing and fetches nothing; its links open in a window of their own.
const MAIL_CSP =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; frame-ancestors 'self'"

/** MailDev's interface to the mails, for this machine only. */
export function serveMails(app: FastifyInstance, mailbox: Mailbox): void {
  const local = { onRequest: refuseForeignHost }
  const mailOf = (request: FastifyRequest): Mail => {
    const mail = mailbox.find((request.params as { id: string }).id)
    if (!mail) throw new Problem('not-found', 'There is no such mail.')
    return mail
  }

  app.get('/email', local, async request =>
    filterMails(mailbox.list(), request.query as Record<string, string | string[]>),
  )
  app.get('/email/:id', local, async request => {
    const mail = mailOf(request)
    await mailbox.markRead(mail)
    return mail
  })
  app.get('/email/:id/html', local, async (request, reply) => {
    const { html, text } = mailOf(request)
    reply.type('text/html; charset=utf-8').header('content-security-policy', MAIL_CSP)
    return html ? opensLinksElsewhere(html) : `<!doctype html><pre>${escape(text)}</pre>`
  })
  app.get('/email/:id/source', local, async (request, reply) => {
    reply.type('text/plain; charset=utf-8').header('content-security-policy', 'sandbox')
    return mailbox.source(mailOf(request))
  })
  app.get('/email/:id/attachment/:name', local, async (request, reply) => {
    const { name } = request.params as { name: string }
    const { attachments } = await simpleParser(await mailbox.source(mailOf(request)))
    const found = attachments.find(attachment => (attachment.filename ?? 'attachment') === name)
    if (!found) throw new Problem('not-found', 'The mail has no such attachment.')
    reply.type('application/octet-stream').header('content-security-policy', 'sandbox')
    reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    return found.content
  })
  app.delete('/email/all', local, async () => {
    await mailbox.clear()
    return true
  })
  app.delete('/email/:id', local, async request => {
    await mailbox.remove(mailOf(request))
    return true
  })
  app.get('/events', local, async (_request, reply) => {
    const events = openEvents(reply)
    const stop = mailbox.onChange(() => events.send({ event: 'change', data: {} }))
    events.closed.addEventListener('abort', stop)
    return reply
  })
}

function opensLinksElsewhere(html: string): string {
  const base = '<base target="_blank">'
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, head => head + base) : base + html
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escape = (text: string) => text.replace(/[&<>]/g, character => escapes[character] ?? '')

/** Keeps the mails that have every value asked for, each named by its path: `subject=Hello`, `to.address=a@b.c`. */
function filterMails(mails: Mail[], wanted: Record<string, string | string[]>): Mail[] {
  const conditions = Object.entries(wanted).map(([path, value]) => ({
    path: path.split('.'),
    value: [value].flat(),
  }))
  return mails.filter(mail =>
    conditions.every(({ path, value }) => {
      const found = valuesAt(mail, path)
      return value.every(text => found.some(one => String(one) === text))
    }),
  )
}

function valuesAt(value: unknown, path: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap(inner => valuesAt(inner, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return valuesAt((value as Record<string, unknown>)[name], rest)
}
