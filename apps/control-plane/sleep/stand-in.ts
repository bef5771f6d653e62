import { bareHost } from '@windlass/service/outbound/outbound.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { createCounter } from '@windlass/service/observe/metrics.ts'
import { dropHopByHop } from '@windlass/service/http/forwarding.ts'
import { EXPOSED } from '@windlass/service/http/cors.ts'
import { Problem, problemDocument, unavailable } from '@windlass/service/http/problem.ts'
import type { ServerRole } from '@windlass/runtimes/runtime.ts'
import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { hostOf } from '../anchors/addresses.ts'
import { countAwake, getAnchor, type Anchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { realAddressOf } from '../servers/pair.ts'
import { roles } from '../servers/servers.ts'
import { createMemory, RECENT_MS } from './remembered.ts'
import { wake } from './suspend.ts'
import { strangerOf, WakesOfClients } from './wake-limits.ts'

/** Requests that wait for a sleeping anchor: for one, of one client network, and of all. Their bodies wait at the sender. */
const MAX_WAITING = { anchor: 100, client: 200, all: 1_000 }
/** Anchors that are woken at a time, the others after them: each holds a connection to the database. */
const WAKES_AT_ONCE = 4
const PAUSES_AFTER_FAILURE = { firstMs: 10_000, longestMs: 60_000 }
/** Anchors that nobody uses fall asleep meanwhile. */
const RETRY_FULL_S = 60
/** SEP-1. The registry reads it whenever an anchor's address changes, which must not wake it. */
const DISCOVERY = '/.well-known/stellar.toml'
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** SEP-10. Of all requests to a SEP server these alone need nothing of the business server. */
const LOGIN = /^\/auth(\?|$)/
const PATH = /^\/asleep\/([a-z0-9]+)\/(sep|business)(.*)$/s

const refusals = createCounter(
  'windlass_wakes_refused_total',
  'Requests that did not wake an anchor: of a client that has woken too many, or because too many are awake',
  ['reason'],
)

interface Waking {
  done: Promise<void>
  /** Resolved as soon as that server answers. */
  answers: Record<ServerRole, PromiseWithResolvers<void>>
  waiting: number
}

/**
 * Answers for the servers of anchors that sleep, below `/asleep/<anchor>/<role>`. What the health worker asks and the discovery
 * file are answered without waking: nothing has changed since. Any other request waits until the servers run and is passed on. Returns
 * whether the request is its own.
 */
export function createStandIn(deps: Deps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const waking = new Map<string, Waking>()
  /** Anchors whose servers did not start: requests of strangers must not start them without end. */
  const resting = new Map<string, { until: number; pauseMs: number }>()
  const memory = createMemory(deps)
  const agent = new http.Agent({ keepAlive: false })
  const inTurn = createTurns(WAKES_AT_ONCE)
  const { awakeAtMost, wakesOfClient } = deps.config.work
  const ofClients = new WakesOfClients(wakesOfClient)
  const waitingOf = new Map<string, number>()
  let waiting = 0

  /** Throws `dependency-unavailable` or `too-many-requests`: strangers must not start every server that there is. */
  const demandWake = (anchorId: string, stranger: string, awake: number): void => {
    const refuse = (reason: 'client' | 'full', problem: Problem): never => {
      refusals.inc({ reason })
      deps.logger.warn({ anchorId, stranger, reason }, 'a request may not wake an anchor')
      throw problem
    }
    if (waking.size + awake >= awakeAtMost)
      refuse('full', cannotStart('it is asleep, and too many others are awake', RETRY_FULL_S))
    const wait = ofClients.take(stranger, anchorId, performance.now())
    if (wait !== null) refuse('client', tooMany(wait))
  }
  const beginWaking = (anchorId: string, needed: readonly ServerRole[]): Waking => {
    const answers = { sep: Promise.withResolvers<void>(), business: Promise.withResolvers<void>() }
    const tell = (role: ServerRole) => answers[role].resolve()
    const done = inTurn(() => wake(deps, anchorId, { first: needed, answers: tell })).finally(() => {
      waking.delete(anchorId)
      memory.forget(anchorId)
    })
    done.then(
      () => resting.delete(anchorId),
      () => {
        const { firstMs, longestMs } = PAUSES_AFTER_FAILURE
        const pauseMs = Math.min(2 * (resting.get(anchorId)?.pauseMs ?? firstMs / 2), longestMs)
        resting.set(anchorId, { until: performance.now() + pauseMs, pauseMs })
      },
    )
    const begun = { done, answers, waiting: 0 }
    waking.set(anchorId, begun)
    return begun
  }
  /** `needed`: the servers that must answer. `stranger`: the client's network; null: a service of the platform asks. */
  const wakeOnce = async (
    { id, asleep_since: asleep, wake_at: wakeAt }: Anchor,
    needed: readonly ServerRole[],
    stranger: string | null,
  ): Promise<void> => {
    const crowd = () => cannotStart('too many requests wait already')
    if (waiting >= MAX_WAITING.all) throw crowd()
    if (stranger !== null && (waitingOf.get(stranger) ?? 0) >= MAX_WAITING.client) throw crowd()
    if (!waking.has(id) && (resting.get(id)?.until ?? 0) > performance.now())
      throw cannotStart('its servers did not start')
    // Without a time for its wake its servers run on: it starts none.
    const starts = asleep !== null && wakeAt !== null
    const awake = starts ? await countAwake(deps.database.db) : 0
    if (!waking.has(id) && starts && stranger !== null) demandWake(id, stranger, awake)
    const current = waking.get(id) ?? beginWaking(id, needed)
    if (current.waiting >= MAX_WAITING.anchor) throw crowd()
    current.waiting++
    waiting++
    if (stranger !== null) waitingOf.set(stranger, (waitingOf.get(stranger) ?? 0) + 1)
    const answered = Promise.all(needed.map(role => current.answers[role].promise))
    await Promise.race([answered, current.done]).finally(() => {
      current.waiting--
      waiting--
      if (stranger !== null) stopWaiting(stranger)
    })
  }
  const stopWaiting = (stranger: string): void => {
    const left = (waitingOf.get(stranger) ?? 1) - 1
    if (left > 0) waitingOf.set(stranger, left)
    else waitingOf.delete(stranger)
  }
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    { anchorId, role, path }: { anchorId: string; role: ServerRole; path: string },
  ): Promise<void> => {
    const asked = request.method === 'GET' && role === 'business' ? path : ''
    if (asked === '/admin/summary' || asked === '/health') {
      const given = request.headers['x-service-secret']
      const proves = (secret: string) => typeof given === 'string' && sameSecret(given, secret)
      let { secret, summary } = await memory.get(anchorId)
      // It may have been replaced.
      if (!proves(secret)) ({ secret, summary } = await memory.get(anchorId, RECENT_MS))
      if (summary && asked === '/health') return send(response, 200, '{"status":"ok"}')
      if (summary && proves(secret)) return send(response, 200, summary)
    }
    if (role === 'sep' && path.split('?')[0] === DISCOVERY && READS.has(request.method ?? '')) {
      const { discovery, summary } = await memory.get(anchorId, RECENT_MS)
      if (summary) return sendDiscovery(response, discovery)
    }
    // A request for an anchor that does not exist takes no place of those that wait.
    const anchor = await getAnchor(deps.database.db, anchorId)
    const stranger = strangerOf(request, { proxySecret: deps.config.proxySecret, host: hostOf(anchor.plan) })
    const needed = role === 'sep' && LOGIN.test(path) ? [role] : roles
    await wakeOnce(anchor, needed, stranger)
    if (response.destroyed) return
    passOn(request, response, { to: await realAddressOf(deps, anchorId, role), path, agent })
  }
  return (request, response) => {
    const [, anchorId, role, path = ''] = PATH.exec(request.url ?? '') ?? []
    if (anchorId === undefined) return false
    const at = { anchorId, role: role as ServerRole, path: path.startsWith('/') ? path : `/${path}` }
    serve(request, response, at).catch((error: unknown) => {
      if (error instanceof Problem && error.status !== 404) return sendProblem(response, error)
      deps.logger.warn({ err: error, anchorId }, 'a request did not reach a sleeping anchor')
      sendProblem(response, noAnswer())
    })
    return true
  }
}

/** Runs at most so many at a time, the others in the order in which they came. */
function createTurns(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let running = 0
  return async act => {
    if (running < most) running++
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      return await act()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { to, path, agent }: { to: string; path: string; agent: http.Agent },
): void {
  const { hostname, port } = new URL(to)
  dropHopByHop(request.headers)
  const { method, headers } = request
  const onward = http.request(
    { hostname: bareHost(hostname), port, method, path, headers, agent },
    answer => {
      dropHopByHop(answer.headers)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    },
  )
  onward.on('error', () => sendProblem(response, noAnswer()))
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

function sendDiscovery(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=10',
  })
  response.end(text)
}

/** When wallets may repeat their requests. */
const RETRY_S = 2

const noAnswer = () => unavailable('The anchor', undefined, RETRY_S)

const cannotStart = (why: string, seconds = RETRY_S) =>
  new Problem(
    'dependency-unavailable',
    `The anchor cannot be started now: ${why}. Try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) } },
  )

const tooMany = (seconds: number) =>
  new Problem(
    'too-many-requests',
    `Your network started too many sleeping anchors in the last hour. Try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) } },
  )

function sendProblem(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) return void response.destroy()
  for (const [name, value] of Object.entries(problem.extra.headers ?? {})) response.setHeader(name, value)
  // Wallets are pages of other origins, and read why.
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', EXPOSED)
  const requestId = randomUUID()
  response.setHeader('x-request-id', requestId)
  send(response, problem.status, JSON.stringify(problemDocument(problem, requestId)))
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
  })
  response.end(body)
}
