import { Problem } from '@windlass/service/problem.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import type { Deps } from '../deps.ts'
import { findTransfer } from '../transfers/find.ts'
import { act, actNames } from './acts.ts'
import { html, type Html } from './html.ts'
import { identityPage } from './identity-pages.ts'
import { sendPage } from './layout.ts'
import { detailsPage, payPage, reviewPage, sendToAnchorPage } from './money-pages.ts'
import { pageSessions } from './page-session.ts'
import { situationOf } from './situation.ts'
import { statusPage } from './status-page.ts'
import { stepOf, type Situation, type Step } from './step.ts'
import { tellWalletAt } from './wallet-callback.ts'
import { watchedState } from './watched-state.ts'

const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
const hidden = { schema: { hide: true } }

/** The anchor's own pages for one transaction: opened by a wallet's link, then by a cookie for that transaction alone. */
export function serveInteractive(app: FastifyInstance, deps: Deps): void {
  const sessions = pageSessions(deps.config)
  for (const [name, type] of [
    ['style.css', 'text/css'],
    ['live.js', 'text/javascript'],
  ] as const) {
    const text = asset(name)
    app.get(`/interactive/assets/${name}`, hidden, async (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=300').send(text),
    )
  }

  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    const {
      transaction_id: id = '',
      token = '',
      callback,
      on_change_callback: onChange,
    } = request.query as Record<string, string | undefined>
    return orErrorPage(deps, reply, async () => {
      await sessions.open(id, token)
      await sessions.start(reply, id, deps.clock.now())
      const situation = await situationOf(deps, id)
      if (callback === 'postMessage') await rememberCallback(deps, id)
      for (const address of [callback, onChange]) await tellWalletAt(deps, id, address)
      return show(deps, reply, situation, {})
    })
  }
  app.get('/interactive/start', hidden, open)
  app.get('/interactive/more-info', hidden, open)

  app.get('/interactive/t/:id', hidden, async (request, reply) =>
    orErrorPage(deps, reply, async () => {
      const id = await demand(request)
      const { edit } = request.query as { edit?: string }
      return show(deps, reply, await situationOf(deps, id), { edit: edit === '1' })
    }),
  )
  app.get('/interactive/t/:id/state', hidden, async (request, reply) => {
    const id = await demand(request)
    const row = await findTransfer(deps.database.db, id)
    if (!row) throw new Problem('not-found', 'There is no such transaction.')
    return reply.header('cache-control', 'no-store').send(watchedState(await situationOf(deps, id)))
  })
  for (const name of actNames) {
    app.post(
      `/interactive/t/:id/${name}`,
      { ...hidden, config: { body: 'json-or-form' } },
      async (request, reply) =>
        orErrorPage(deps, reply, async () => {
          const id = await demand(request)
          refuseForeign(deps, request)
          const form = formOf(request.body)
          const outcome = await act(deps, id, name, form)
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

  async function demand(request: FastifyRequest): Promise<string> {
    const { id } = request.params as { id: string }
    await sessions.demand(request, id)
    return id
  }
}

interface Shown {
  problem?: string
  form?: Record<string, string>
  edit?: boolean
}

async function show(
  deps: Deps,
  reply: FastifyReply,
  situation: Situation,
  shown: Shown,
  status = 200,
): Promise<FastifyReply> {
  const { transfer } = situation
  const found = stepOf(situation)
  const step: Step = found === 'review' && shown.edit ? 'details' : found
  const base = `/interactive/t/${transfer.id}`
  const { version } = watchedState(situation)
  const watched = step !== 'details' && step !== 'email' && step !== 'code'
  return sendPage(
    reply,
    {
      title: transfer.direction === 'deposit' ? 'Deposit' : 'Withdrawal',
      anchorName: deps.config.anchor.plan.organizationName,
      test: !deps.config.mainnet,
      lang: transfer.lang,
      body: await bodyOf(deps, situation, step, base, shown),
      ...(watched ? { live: { url: `${base}/state`, version } } : {}),
      callback: transfer.callback,
    },
    status,
  )
}

async function bodyOf(
  deps: Deps,
  { transfer, customer, rail }: Situation,
  step: Step,
  base: string,
  shown: Shown,
): Promise<Html> {
  const problem = shown.problem ? html`<p class="problem" role="alert">${shown.problem}</p>` : null
  switch (step) {
    case 'details':
      return detailsPage(deps, transfer, base, shown.form ?? {}, problem)
    case 'review':
      return reviewPage(deps, transfer, rail, base, problem)
    case 'pay':
      return payPage(deps, transfer, rail, base, await isPaying(deps, transfer.reference))
    case 'send':
      return sendToAnchorPage(deps, transfer)
    case 'status':
      return statusPage(deps, transfer)
    default:
      return identityPage(step, base, customer?.pendingEmail ?? null, problem)
  }
}

async function isPaying({ database }: Deps, reference: string | null): Promise<boolean> {
  if (!reference) return false
  const row = await database.db
    .selectFrom('simulated_rail_payments')
    .select('id')
    .where('reference', '=', reference)
    .where('direction', '=', 'in')
    .executeTakeFirst()
  return row !== undefined
}

async function rememberCallback({ database }: Deps, id: string): Promise<void> {
  await database.db.updateTable('transfers').set({ callback: 'postMessage' }).where('id', '=', id).execute()
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

/** People get a page, not a problem document. */
async function orErrorPage(
  { config, logger }: Deps,
  reply: FastifyReply,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await answer()
  } catch (error) {
    const problem =
      error instanceof Problem ? error : new Problem('internal-error', 'Something went wrong on our side.')
    if (problem.status >= 500) logger.error({ err: error }, 'a page failed')
    const body = html`<h1>${problem.status === 404 ? 'There is nothing here' : 'This did not work'}</h1>
      <p>${problem.message}</p>`
    const page = {
      title: 'Problem',
      anchorName: config.anchor.plan.organizationName,
      test: false,
      lang: null,
      body,
    }
    return sendPage(reply, page, problem.status)
  }
}
