import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { choices, type Choice, choose, findSession, type MockSession, OTHER_NAME } from './sessions.ts'

/** Serves the mock provider's hosted page below `prefix` (`/kyc/mock`). */
export function serveMockPages(app: FastifyInstance, pool: pg.Pool, prefix: string): void {
  app.get(`${prefix}/:id`, async (request, reply) => {
    return show(reply, await demand(pool, request.params), prefix)
  })
  // Links, not a form: a form would carry the customer's session cookie to a host that takes such writes from its
  // consoles only. The session's id is the capability.
  app.get(`${prefix}/:id/:choice`, async (request, reply) => {
    const session = await demand(pool, request.params)
    const { choice } = request.params as { choice: string }
    const known = choices.find(each => each === choice)
    if (!known) throw new Problem('not-found', 'There is no such choice.')
    await choose(pool, session.id, known)
    return reply.code(303).header('location', `${prefix}/${session.id}`).send()
  })
}

async function demand(pool: pg.Pool, params: unknown): Promise<MockSession> {
  const { id } = params as { id: string }
  const session = id.includes('\0') ? null : await findSession(pool, id)
  if (!session) throw new Problem('not-found', 'There is no such verification.')
  return session
}

function show(reply: FastifyReply, session: MockSession, prefix: string): FastifyReply {
  const csp = `default-src 'none'; style-src 'sha256-${hashOf(STYLE)}'; script-src 'sha256-${hashOf(SCRIPT)}'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`
  return reply
    .header('content-security-policy', csp)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page(session, prefix))
}

const BUTTONS: readonly (readonly [Choice, string])[] = [
  ['approve', 'Approve now'],
  ['other-name', `Approve with another name: ${OTHER_NAME}`],
  ['decline', 'Decline'],
  ['delay', 'Approve after a minute'],
  ['bad-signature', 'Approve with a wrong signature'],
]

/** The page of a session; exported for tests. */
export function page(session: MockSession, prefix: string): string {
  const done = session.delivered_at !== null
  const back = session.return_url ? `<a class="back" href="${escape(session.return_url)}">Return</a>` : ''
  const refresh = done ? '' : `<script>${SCRIPT}</script>`
  const links = BUTTONS.map(
    ([choice, label]) => `<a class="choice" href="${prefix}/${session.id}/${choice}">${label}</a>`,
  ).join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Test identity check</title><style>${STYLE}</style></head>
<body><aside class="banner"><strong>TEST</strong> This page plays an identity provider. Nobody is verified here.</aside>
<main><h1>Test identity check</h1>
<p role="status">${statusLine(session)}</p>
${done ? '' : `<nav aria-label="Choices">${links}</nav>`}
${back}</main>${refresh}</body></html>`
}

function statusLine(session: MockSession): string {
  if (session.delivered_at && session.forged) return 'A report with a wrong signature was sent and refused.'
  if (session.delivered_at)
    return session.verdict === 'APPROVED'
      ? 'Approved. You can go back now.'
      : 'Declined. You can go back now.'
  if (session.attempts > 0) return 'The report is on its way.'
  return 'It approves by itself within seconds unless you choose something else.'
}

const escape = (text: string) => text.replace(/[&<>"']/g, each => `&#${each.charCodeAt(0)};`)

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0}.banner{margin:0;padding:.75rem 1rem;background:#b45309;color:#fff;text-align:center}
main{max-width:26rem;margin:2rem auto;padding:0 1rem}nav{display:grid;gap:.75rem}
a{font:inherit;padding:.75rem 1rem;border-radius:.5rem;border:1px solid currentColor;background:none;color:inherit;text-align:center;text-decoration:none;display:block;cursor:pointer}
a:first-child.choice{background:#1d4ed8;border-color:#1d4ed8;color:#fff}.back{margin-top:1.5rem}
a:focus-visible{outline:3px solid #60a5fa;outline-offset:2px}`
const SCRIPT = 'setTimeout(() => location.reload(), 2000)'
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')
