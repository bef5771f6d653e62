import { sameSecret } from '@windlass/service/client-address.ts'
import { dropHopByHop } from '@windlass/service/forwarding.ts'
import type { ServerRole } from '@windlass/runtimes/runtime.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { folderOf } from '../anchors/addresses.ts'
import { getAnchor, openAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { realAddressOf } from '../servers/pair.ts'
import { wake } from './suspend.ts'

/** Requests that wait for a sleeping anchor: of one, and of all. Their bodies wait at the sender. */
const MAX_WAITING = { anchor: 100, all: 1_000 }
/** Anchors that are woken at a time, the others after them: each holds a connection to the database. */
const WAKES_AT_ONCE = 4
const REMEMBERED_MS = 15_000
const PAUSE_AFTER_FAILURE_MS = 10_000
/** SEP-1. The registry reads it whenever an anchor's address changes, which must not wake it. */
const DISCOVERY = '/.well-known/stellar.toml'
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const PATH = /^\/asleep\/([a-z0-9]+)\/(sep|business)(.*)$/s

interface Waking {
  done: Promise<void>
  waiting: number
}

interface Remembered {
  secret: string
  /** Its stellar.toml. */
  discovery: string
  /** JSON; null: the anchor is awake. */
  summary: string | null
  until: number
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
  const remembered = new Map<string, Remembered>()
  const agent = new http.Agent({ keepAlive: false })
  const inTurn = createTurns(WAKES_AT_ONCE)
  let waiting = 0

  const remember = async (anchorId: string): Promise<Remembered> => {
    const known = remembered.get(anchorId)
    if (known && known.until > performance.now()) return known
    const { anchor, vault } = await openAnchor(deps, anchorId)
    const folder = folderOf(deps.config, anchorId, anchor.slot)
    const discovery = await readFile(join(folder, 'config', 'stellar.toml'), 'utf8')
    const { secret } = await vault.get(deps.database.db, 'summary')
    const summary =
      anchor.asleep_since && anchor.last_summary
        ? JSON.stringify({ ...anchor.last_summary, asleepSince: anchor.asleep_since.toISOString() })
        : null
    const found = { secret, discovery, summary, until: performance.now() + REMEMBERED_MS }
    remembered.set(anchorId, found)
    return found
  }
  const beginWaking = (anchorId: string): Waking => {
    const done = inTurn(() => wake(deps, anchorId)).finally(() => {
      waking.delete(anchorId)
      remembered.delete(anchorId)
    })
    done.then(
      () => resting.delete(anchorId),
      () => resting.set(anchorId, performance.now() + PAUSE_AFTER_FAILURE_MS),
    )
    const begun = { done, waiting: 0 }
    waking.set(anchorId, begun)
    return begun
  }
  const wakeOnce = async (anchorId: string): Promise<boolean> => {
    if (waiting >= MAX_WAITING.all) return false
    const known = waking.get(anchorId)
    // Requests of strangers must not start the servers of a broken anchor without end.
    if (!known && (resting.get(anchorId) ?? 0) > performance.now()) return false
    const current = known ?? beginWaking(anchorId)
    if (current.waiting >= MAX_WAITING.anchor) return false
    current.waiting++
    waiting++
    await current.done.finally(() => waiting--)
    return true
  }
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    { anchorId, role, path }: { anchorId: string; role: ServerRole; path: string },
  ): Promise<void> => {
    const asked = request.method === 'GET' && role === 'business' ? path : ''
    if (asked === '/admin/summary' || asked === '/health') {
      const { secret, summary } = await remember(anchorId)
      const given = request.headers['x-service-secret']
      const proven = typeof given === 'string' && sameSecret(given, secret)
      if (summary && asked === '/health') return send(response, 200, '{"status":"ok"}')
      if (summary && proven) return send(response, 200, summary)
    }
    if (role === 'sep' && path.split('?')[0] === DISCOVERY && READS.has(request.method ?? '')) {
      const { discovery, summary } = await remember(anchorId)
      if (summary) return sendDiscovery(response, discovery)
    }
    // Who asks for an anchor that does not exist takes no place.
    await getAnchor(deps.database.db, anchorId)
    if (!(await wakeOnce(anchorId))) return unavailable(response)
    if (response.destroyed) return
    passOn(request, response, { to: await realAddressOf(deps, anchorId, role), path, agent })
  }
  return (request, response) => {
    const [, anchorId, role, path = ''] = PATH.exec(request.url ?? '') ?? []
    if (anchorId === undefined) return false
    const at = { anchorId, role: role as ServerRole, path: path.startsWith('/') ? path : `/${path}` }
    serve(request, response, at).catch((error: unknown) => {
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

function unavailable(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  const title = 'The anchor does not answer yet. Try again shortly.'
  response.setHeader('retry-after', '2')
  send(
    response,
    503,
    JSON.stringify({ type: 'about:blank', title, status: 503, code: 'dependency-unavailable' }),
  )
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
  })
  response.end(body)
}
