import { sameSecret } from '@windlass/service/client-address.ts'
import { createCounter } from '@windlass/service/metrics.ts'
import { dropHopByHop } from '@windlass/service/forwarding.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import type { ServerRole } from '@windlass/runtimes/runtime.ts'
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
const PAUSE_AFTER_FAILURE_MS = 10_000
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
  /** Until when an anchor whose servers did not start is left alone. */
  const resting = new Map<string, number>()
  const memory = createMemory(deps)
  const agent = new http.Agent({ keepAlive: false })
  const inTurn = createTurns(WAKES_AT_ONCE)
  const { awakeAtMost, wakesOfClient } = deps.config.work
  const ofClients = new WakesOfClients(wakesOfClient)
  const waitingOf = new Map<string, number>()
  let waiting = 0

  /** Throws {@link WakeRefused}: strangers must not start every server that there is. */
  const demandWake = (anchorId: string, stranger: string, awake: number): void => {
    const refuse = (reason: 'client' | 'full', seconds: number): never => {
      refusals.inc({ reason })
      deps.logger.warn({ anchorId, stranger, reason }, 'a request may not wake an anchor')
      throw new WakeRefused(reason, seconds)
    }
    if (waking.size + awake >= awakeAtMost) refuse('full', RETRY_FULL_S)
    const wait = ofClients.take(stranger, anchorId, performance.now())
    if (wait !== null) refuse('client', wait)
  }
  const beginWaking = (anchorId: string): Waking => {
    const answers = { sep: Promise.withResolvers<void>(), business: Promise.withResolvers<void>() }
    const done = inTurn(() => wake(deps, anchorId, role => answers[role].resolve())).finally(() => {
      waking.delete(anchorId)
      memory.forget(anchorId)
    })
    done.then(
      () => resting.delete(anchorId),
      () => resting.set(anchorId, performance.now() + PAUSE_AFTER_FAILURE_MS),
    )
    const begun = { done, answers, waiting: 0 }
    waking.set(anchorId, begun)
    return begun
  }
  /** `needed`: the servers that must answer. `stranger`: the client's network; null: a service of the platform asks. */
  const wakeOnce = async (
    { id, asleep_since: asleep }: Anchor,
    needed: readonly ServerRole[],
    stranger: string | null,
  ): Promise<boolean> => {
    if (waiting >= MAX_WAITING.all) return false
    if (stranger !== null && (waitingOf.get(stranger) ?? 0) >= MAX_WAITING.client) return false
    // Requests of strangers must not start the servers of a broken anchor without end.
    if (!waking.has(id) && (resting.get(id) ?? 0) > performance.now()) return false
    const awake = asleep ? await countAwake(deps.database.db) : 0
    if (!waking.has(id) && asleep && stranger !== null) demandWake(id, stranger, awake)
    const current = waking.get(id) ?? beginWaking(id)
    if (current.waiting >= MAX_WAITING.anchor) return false
    current.waiting++
    waiting++
    if (stranger !== null) waitingOf.set(stranger, (waitingOf.get(stranger) ?? 0) + 1)
    const answered = Promise.all(needed.map(role => current.answers[role].promise))
    await Promise.race([answered, current.done]).finally(() => {
      current.waiting--
      waiting--
      if (stranger !== null) stopWaiting(stranger)
    })
    return true
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
    if (!(await wakeOnce(anchor, needed, stranger))) return unavailable(response)
    if (response.destroyed) return
    passOn(request, response, { to: await realAddressOf(deps, anchorId, role), path, agent })
  }
  return (request, response) => {
    const [, anchorId, role, path = ''] = PATH.exec(request.url ?? '') ?? []
    if (anchorId === undefined) return false
    const at = { anchorId, role: role as ServerRole, path: path.startsWith('/') ? path : `/${path}` }
    serve(request, response, at).catch((error: unknown) => {
      if (error instanceof WakeRefused) return refuse(response, error)
      deps.logger.warn({ err: error, anchorId }, 'a request did not reach a sleeping anchor')
      unavailable(response)
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
  const onward = http.request({ hostname, port, method, path, headers, agent }, answer => {
    dropHopByHop(answer.headers)
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  onward.on('error', () => unavailable(response))
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

/** A request that may not wake an anchor. */
class WakeRefused extends Error {
  readonly reason: 'client' | 'full'
  /** After which it may be tried again. */
  readonly seconds: number

  constructor(reason: 'client' | 'full', seconds: number) {
    super('the anchor was not woken')
    this.reason = reason
    this.seconds = seconds
  }
}

function refuse(response: ServerResponse, { reason, seconds }: WakeRefused): void {
  if (reason === 'full')
    return sendProblem(
      response,
      'dependency-unavailable',
      'Too many anchors are awake to wake another.',
      seconds,
    )
  sendProblem(response, 'too-many-requests', `You woke too many anchors. Try again in ${seconds} s.`, seconds)
}

function unavailable(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  sendProblem(response, 'dependency-unavailable', 'The anchor does not answer yet. Try again shortly.', 2)
}

function sendProblem(response: ServerResponse, code: ProblemCode, title: string, retryAfter: number): void {
  response.setHeader('retry-after', String(retryAfter))
  const { status } = problems[code]
  send(response, status, JSON.stringify({ type: 'about:blank', title, status, code }))
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
  })
  response.end(body)
}
