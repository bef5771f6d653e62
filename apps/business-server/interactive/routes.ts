import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { Reserves } from '@windlass/contracts/anchor/reserves.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import type { Deps } from '../deps.ts'
import { actionNames, runAction } from './actions.ts'
import { detailsPage } from './details-page.ts'
import { type Html, html } from './html.ts'
import { identityPage } from './identity-pages.ts'
import { type Page, sendPage } from './layout.ts'
import { shown as number } from './numbers.ts'
import { priceText } from './live-price.ts'
import { openLink, pageSessions, type Access } from './page-session.ts'
import { payPage, sendToAnchorPage } from './pay-pages.ts'
import { personPage } from './person-page.ts'
import { reservesPage } from './reserves-page.ts'
import { sign } from './pieces.ts'
import { lapsedPage, reviewPage } from './review-page.ts'
import { situationOf } from './situation.ts'
import { statusPage } from './status-page.ts'
import { isFilled, type Situation, type Step, stepOf, type View, watchedState } from './step.ts'
import { type Texts, side, textsFor } from './texts.ts'
import { readCallbacks, setCallbacks } from './wallet-callbacks.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { largestAmount } from '../transfers/confirm.ts'
import { findTransfer, transfersByReference } from '../transfers/find.ts'
import { ended } from '../transfers/status.ts'

const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

/** The anchor's own pages for one transaction: opened by a wallet's link, then by a cookie for that transaction alone. */
export function serveInteractive(
  app: FastifyInstance,
  deps: Deps,
  readReserves: () => Promise<Reserves>,
): void {
  const sessions = pageSessions(deps.config)
  for (const [name, type] of [
    ['style.css', 'text/css'],
    ['live.js', 'text/javascript'],
  ] as const) {
    const text = asset(name)
    app.get(`/interactive/assets/${name}`, async (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=300').send(text),
    )
  }

  // Any colour has a style sheet of its own, so that browsers keep it and the policy allows no inline styles.
  app.get<{ Params: { color: string } }>(
    '/interactive/colors/:color([0-9a-fA-F]{6}).css',
    async ({ params }, reply) =>
      reply
        .type('text/css; charset=utf-8')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(colorSheet(`#${params.color}`)),
  )

  const open = (link: Access) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { transaction_id: id = '', token = '' } = request.query as Record<string, string | undefined>
    return orErrorPage(deps, reply, async () => {
      const callbacks = readCallbacks(deps, request.query as Record<string, unknown>)
      const found = await sessions.readLink(link, id, token)
      const access = await sessions.require(request, id, 'view').catch(() => null)
      // The browser that has a session may open its link again.
      if (access !== 'full' && access !== link) {
        if (link === 'full') await openLink(deps.database.db, found)
        await sessions.start(reply, link, id, deps.clock.now())
      }
      const readOnly = link === 'view' && access !== 'full'
      const situation = await situationOf(deps, id)
      if (!readOnly) await setCallbacks(deps, id, callbacks)
      return show(deps, reply, situation, { readOnly })
    })
  }
  // A preview by HEAD must not use the link.
  app.get('/interactive/start', { exposeHeadRoute: false }, open('full'))
  app.get('/interactive/more-info', open('view'))

  app.get('/interactive/reserves', async (_request, reply) => {
    const [t, { anchor, mainnet }] = [textsFor(null), deps.config]
    const body = reservesPage(t, await readReserves())
    return sendPage(reply, { title: 'Reserves', anchor, t, test: !mainnet, body })
  })
  // The page is made when a person opens it, not when a program looks at the link.
  app.get('/interactive/pay/:reference', { exposeHeadRoute: false }, async (request, reply) =>
    orErrorPage(deps, reply, async () => {
      const { reference } = request.params as { reference: string }
      return reply
        .code(303)
        .header('location', await paymentPageOf(deps, reference))
        .header('cache-control', 'no-store')
        .send()
    }),
  )

  app.get('/interactive/t/:id', async (request, reply) =>
    orErrorPage(deps, reply, async () => {
      const { id, access } = await sessionOf(request, 'view')
      const { edit } = request.query as { edit?: string }
      return show(deps, reply, await situationOf(deps, id), {
        edit: access === 'full' && edit === '1',
        readOnly: access === 'view',
      })
    }),
  )
  app.get('/interactive/t/:id/state', async (request, reply) => {
    const { id } = await sessionOf(request, 'view')
    const row = await findTransfer(deps.database.db, id)
    if (!row) throw new Problem('not-found', 'There is no such transaction.')
    return reply.header('cache-control', 'no-store').send(watchedState(await situationOf(deps, id)))
  })
  app.get('/interactive/t/:id/price', async (request, reply) => {
    const { id } = await sessionOf(request, 'full')
    const { transfer } = await situationOf(deps, id)
    const text = priceText(deps, transfer, formOf(request.query))
    return reply.header('cache-control', 'no-store').send({ text })
  })
  app.get('/interactive/t/:id/transaction', async (request, reply) => {
    const { id } = await sessionOf(request, 'view')
    return reply.header('cache-control', 'no-store').send(await walletTransaction(deps, id))
  })
  for (const name of actionNames) {
    app.post(`/interactive/t/:id/${name}`, { config: { body: 'json-or-form' } }, async (request, reply) =>
      orErrorPage(deps, reply, async () => {
        const { id } = await sessionOf(request, 'full')
        refuseForeign(deps, request)
        const form = formOf(request.body)
        // Without a proxy that proves itself, every request seems to come from it.
        const client = deps.config.proxySecret === undefined ? undefined : request.clientAddress
        const outcome = await runAction(deps, id, name, form, client)
        if (!('problem' in outcome)) {
          return reply
            .code(303)
            .header('location', outcome.goTo ?? `/interactive/t/${id}`)
            .send()
        }
        const { problem } = outcome
        return show(
          deps,
          reply,
          await situationOf(deps, id),
          { problem, form, edit: name === 'details' },
          422,
        )
      }),
    )
  }

  async function sessionOf(request: FastifyRequest, needed: Access): Promise<{ id: string; access: Access }> {
    const { id } = request.params as { id: string }
    return { id, access: await sessions.require(request, id, needed) }
  }
}

/** Where the provider of its rail has a deposit paid. The reference is known to the customer alone. */
async function paymentPageOf({ database, rails, clock }: Deps, reference: string): Promise<string> {
  const [transfer] = await transfersByReference(database.db, [reference])
  const rail = transfer && rails.get(transfer.rail)
  if (!transfer || !rail?.paymentPage) throw new Problem('not-found', 'There is no payment page here.')
  if (transfer.state !== 'awaiting_funds')
    throw new Problem('transaction-not-found', 'This transaction does not wait for a payment.')
  const expiresAt = transfer.expires_at ?? clock.now()
  return rail.paymentPage({ reference, amount: transfer.fiat_amount, expiresAt })
}

/** In the dark the colour is mixed with white, so that links and buttons stay readable. */
const colorSheet = (color: string): string =>
  `:root { --accent: ${color}; --accent-ink: #ffffff; --accent-soft: color-mix(in srgb, ${color} 10%, #ffffff); }
@media (prefers-color-scheme: dark) {
  :root { --accent: color-mix(in srgb, ${color} 45%, #ffffff); --accent-ink: #10202e;
    --accent-soft: color-mix(in srgb, ${color} 25%, #17212b); }
}
`

interface Shown extends View {
  problem?: string
  form?: Record<string, string>
}

/** Which of the four steps a page is: identity, amount, payment, done. */
const places: Readonly<Record<Step, number>> = {
  email: 0,
  code: 0,
  confirm: 0,
  verify: 0,
  verifying: 0,
  rejected: 0,
  lapsed: 1,
  details: 1,
  person: 1,
  review: 1,
  pay: 2,
  send: 2,
  status: 2,
}
/** The customer is typing: the page must not reload. */
const still: readonly Step[] = ['details', 'person', 'email', 'code']

async function show(
  deps: Deps,
  reply: FastifyReply,
  situation: Situation,
  given: Shown,
  status = 200,
): Promise<FastifyReply> {
  const { transfer } = situation
  const t = textsFor(transfer.lang)
  const tooMuch = isFilled(stepOf(situation, given)) ? await beyondCapacity(deps, t, transfer) : null
  const shown = tooMuch === null ? given : { ...given, problem: tooMuch, edit: true }
  const step = stepOf(situation, shown)
  const base = `/interactive/t/${transfer.id}`
  const { version } = watchedState(situation)
  return sendPage(
    reply,
    {
      title: side(t.titles, transfer.direction),
      anchor: deps.config.anchor,
      t,
      test: !deps.config.mainnet,
      step: ended.includes(transfer.state) ? 3 : places[step],
      body: await bodyOf(deps, t, situation, step, { ...shown, base }),
      branding: (await currentSettings(deps, deps.database.db)).settings.branding,
      ...(still.includes(step) ? {} : { live: { url: `${base}/state`, version } }),
      posts: postsOf(transfer),
    },
    status,
  )
}

/** What is wrong with an amount that the wallet named, or that could be paid out when it was typed; else null. */
async function beyondCapacity(deps: Deps, t: Texts, transfer: Situation['transfer']): Promise<string | null> {
  const most = await largestAmount(deps, transfer)
  if (transfer.quote_id !== null || parseAmount(transfer.amount ?? '0') <= most) return null
  return t.tooMuch(number(t.lang, formatAmount(most)), servedAsset(deps.config.anchor, transfer.asset).code)
}

async function bodyOf(
  deps: Deps,
  t: Texts,
  situation: Situation,
  step: Step,
  { base, problem, form = {}, readOnly = false }: Shown & { base: string },
): Promise<Html> {
  const { transfer, customer, rail } = situation
  const trouble = problem === undefined ? {} : { problem }
  switch (step) {
    case 'lapsed':
      return lapsedPage(t)
    case 'details':
      return detailsPage(deps, t, situation, { base, form, ...trouble })
    case 'person':
      return personPage(t, situation, { base, form, ...trouble })
    case 'review':
      return reviewPage(deps, t, situation, { base, ...trouble })
    case 'pay':
      return payPage(deps, t, transfer, rail, {
        base,
        readOnly,
        paying: (await rail?.simulation?.hasPayIn(transfer.reference ?? '')) ?? false,
        ...trouble,
      })
    case 'send':
      return sendToAnchorPage(deps, t, transfer)
    case 'status':
      return statusPage(deps, t, transfer)
    default: {
      const email = customer?.pendingEmail ?? form.email ?? customer?.fields.email_address ?? null
      const names = { domain: deps.config.anchor.plan.homeDomain, account: transfer.account }
      return identityPage(step, t, { base, email, ...names, ...trouble })
    }
  }
}

/** The cookie is SameSite=Lax; where the browser names an origin, it must be the anchor's own. */
function refuseForeign({ config }: Deps, request: FastifyRequest): void {
  const { origin } = request.headers
  if (origin === undefined || origin === new URL(config.anchor.publicUrl).origin) return
  if (origin === `${request.protocol}://${request.headers.host}`) return
  throw new Problem('forbidden-origin', 'This form belongs to another site.')
}

function formOf(body: unknown): Record<string, string> {
  const given = Object.entries((body ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    given.filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        entry[1].length <= 500 &&
        entry[1].isWellFormed() &&
        !entry[1].includes('\0'),
    ),
  )
}

/** The founder's look for a page about a failure, which may be that of the database. */
async function brandingOf(deps: Deps): Promise<Pick<Page, 'branding'>> {
  const current = await currentSettings(deps, deps.database.db).catch(() => null)
  return current ? { branding: current.settings.branding } : {}
}

/** People get a page, not a problem document. */
async function orErrorPage(
  deps: Deps,
  reply: FastifyReply,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { config, logger } = deps
  try {
    return await answer()
  } catch (error) {
    const problem =
      error instanceof Problem
        ? error
        : failedForNow(error)
          ? new Problem(
              'dependency-unavailable',
              'The anchor is not available at the moment. Try again soon.',
            )
          : new Problem('internal-error', 'Something went wrong on our side.')
    if (problem.status >= 500) logger.error({ err: error }, 'a page failed')
    const t = textsFor(null)
    const body = html`${sign('stop')}
      <h1>${problem.status === 404 ? t.nothingHere : t.didNotWork}</h1>
      <p>${problem.message}</p>
      <p class="quiet">${t.backToWallet}</p>`
    if (problem.status === 503) reply.header('retry-after', '5')
    const branding = await brandingOf(deps)
    const page = { title: t.problem, anchor: config.anchor, t, test: !config.mainnet, body, ...branding }
    return sendPage(reply, page, problem.status)
  }
}

const postsOf = ({ callback, posts_changes }: Situation['transfer']): string =>
  [callback === null ? '' : 'end', posts_changes ? 'changes' : ''].join(' ').trim()

/** What `GET /transaction` of SEP-24 answers. Throws `dependency-unavailable`, and `not-found`. */
async function walletTransaction({ sepServer }: Deps, id: string): Promise<unknown> {
  const call = { id, method: 'get_wallet_transaction', params: { transaction_id: id } }
  const [answer] = await sepServer.send([call])
  if (!answer || !('result' in answer)) throw new Problem('not-found', 'There is no such transaction.')
  return answer.result
}
