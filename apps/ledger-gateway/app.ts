import { openEvents } from '@windlass/service/http/events.ts'
import { publishGauge } from '@windlass/service/observe/metrics.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { readBounded } from '@windlass/stellar/bounded-body.ts'
import { CHANGED_ACCOUNTS, type ChangedAccounts } from '@windlass/stellar/changed-accounts.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { keptHeaders, refusal, type Answer } from './answers.ts'
import type { Urgency } from './budget.ts'
import { callerOf } from './callers.ts'
import type { Deps } from './deps.ts'

const SUBMIT_TIMEOUT_MS = 25_000
const HEAD = /^\/ledgers\?(?=.*\border=desc\b)(?=.*\blimit=1\b)(?!.*\bcursor=)/
const PAYMENTS = /^\/accounts\/(G[A-Z2-7]{55})\/payments(?:\?|$)/
/** Heartbeats older than this are no longer the present. */
const HEAD_FRESH_MS = 30_000

/** Horizon's API for the services of this machine: `GET` of everything, and submission of transactions. */
export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'ledger-gateway',
    logger: deps.logger,
    documents: false,
    checks: {
      network: async () => {
        if (deps.network.fault) throw deps.network.fault
      },
    },
  })
  publishMetrics(server, deps)
  const listChanged = changesOf(deps)
  server.app.get<{ Querystring: { since?: string } }>(CHANGED_ACCOUNTS, async ({ query }) =>
    listChanged(query.since),
  )
  server.app.get('/*', async (request, reply) => {
    const account = PAYMENTS.exec(request.url)?.[1]
    if (account !== undefined && request.headers.accept === 'text/event-stream') {
      return streamPayments(deps, account, reply)
    }
    return send(reply, await answer(deps, request))
  })
  for (const path of ['/transactions', '/transactions_async']) {
    server.app.post(path, { config: { body: 'json-or-form' } }, async (request, reply) =>
      send(reply, await submit(deps, path, request)),
    )
  }
  return server
}

/** Only this process knows what has changed since it said so: another one began later, or reads another stream. */
function changesOf({ ledger }: Deps): (since?: string) => ChangedAccounts {
  const self = randomUUID()
  return (since = '') => {
    const [process, count] = since.split('/')
    return {
      now: `${self}/${ledger.count}`,
      accounts: process === self ? ledger.changedSince(Number(count)) : null,
    }
  }
}

async function answer({ answers, ledger, steady, logger }: Deps, request: FastifyRequest): Promise<Answer> {
  const { name: caller } = callerOf(request)
  const urgency = urgencyOf(request)
  if (urgency !== 'money' && HEAD.test(request.url)) {
    const head = answers.head()
    const age = ledger.head ? steady.now().getTime() - ledger.head.at : 0
    if (head && age < HEAD_FRESH_MS) return head
    const asked = await answers.get(request.url, urgency, caller).catch(() => null)
    if (asked?.status === 200 || !head) return asked ?? unreachable(steady.now().getTime())
    return head
  }
  return answers.get(request.url, urgency, caller).catch((error: unknown) => {
    logger.warn({ err: error, url: request.url }, 'Horizon does not answer')
    return unreachable(steady.now().getTime())
  })
}

/** `Priority: u=0` moves money, `u=7` is routine (RFC 9218); without it someone waits. Other users' requests are routine. */
function urgencyOf(request: FastifyRequest): Urgency {
  if (!callerOf(request).isOurs) return 'routine'
  const level = /\bu=([0-7])\b/.exec(String(request.headers.priority ?? ''))?.[1]
  if (level === '0') return 'money'
  return level === '7' ? 'routine' : 'person'
}

/** Each event says only that there is something to read; readers have cursors of their own. */
function streamPayments({ ledger }: Deps, account: string, reply: FastifyReply): FastifyReply {
  const events = openEvents(reply)
  const subscription = ledger.subscribe(account, () => events.send({ data: 'payment' }))
  events.closed.addEventListener('abort', () => subscription.end())
  return reply
}

async function submit(
  { config, network, budget, steady, logger }: Deps,
  path: string,
  request: FastifyRequest,
): Promise<Answer> {
  const at = steady.now().getTime()
  const caller = callerOf(request)
  if (!caller.isOurs) throw new Problem('forbidden', 'Only services and anchors submit transactions here.')
  const wait = budget.wait('money', caller.name)
  if (wait > 0) return refusal(wait, steady)
  try {
    await network.require('money')
    const tx = String((request.body as { tx?: unknown } | null)?.tx ?? '')
    const response = await fetch(`${config.horizon.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ tx }),
      signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS),
    })
    budget.note(response.status, response.headers, caller.name)
    const body = await readBounded(response.body)
    await network.require('money')
    return { status: response.status, headers: keptHeaders(response.headers), body, at }
  } catch (error) {
    logger.warn({ err: error }, 'the answer to a submission was lost')
    return unreachable(at)
  }
}

/** 504, as Horizon itself answers where it does not know what became of a submission. */
function unreachable(at: number): Answer {
  const problem = { type: 'about:blank', title: 'Timeout', status: 504, detail: 'Horizon does not answer.' }
  return {
    status: 504,
    headers: { 'content-type': 'application/problem+json' },
    body: Buffer.from(JSON.stringify(problem)),
    at,
  }
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

function publishMetrics({ app }: Server, { ledger, budget, answers, clock }: Deps): void {
  const gauge = (name: string, help: string, read: () => number | null) =>
    publishGauge(app.metrics, { name, help, read })
  const head = () => ledger.head?.record
  gauge('windlass_ledger_close_age_seconds', 'Time since the last ledger that was received closed', () => {
    const closedAt = head()?.closed_at
    return closedAt === undefined ? null : (clock.now().getTime() - Date.parse(closedAt)) / 1_000
  })
  publishGauge(app.metrics, {
    name: 'windlass_clock_ahead_seconds',
    help: 'Seconds by which the last ledger closed in the future of this clock',
    labels: ['of'],
    read: () => {
      const closedAt = head()?.closed_at
      const ahead = closedAt === undefined ? 0 : (Date.parse(closedAt) - clock.now().getTime()) / 1_000
      return [{ labels: { of: 'ledger' }, value: Math.max(0, ahead) }]
    },
  })
  gauge('windlass_ledger_sequence', 'Last ledger received', () => head()?.sequence ?? null)
  gauge(
    'windlass_horizon_requests_remaining',
    'Requests left of Horizon’s rate limit',
    () => budget.state.remaining ?? null,
  )
  gauge(
    'windlass_horizon_paused_seconds',
    'Seconds until Horizon is asked again',
    () => budget.state.pausedForMs / 1_000,
  )
  gauge('windlass_payment_subscribers', 'Accounts whose payments are listened for', () => ledger.subscribers)
  gauge('windlass_ledger_answer_bytes', 'Bytes of those answers', () => answers.bytes)
  gauge('windlass_ledger_answers', 'Answers of Horizon kept in memory', () => answers.size)
}
