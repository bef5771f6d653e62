import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/*
 * A process that takes over from another one gets the same listening sockets from the launcher, so that no connection is
 * refused: docs/adr/0043-sockets-outlive-processes.md. In containers the other one has sockets of its own at another
 * address of the same name.
 */

/** A client that has a connection for later may be about to use it. */
const IDLE_MS = 1_000
/** New ones come all the time. */
const ACCEPTS_WITHIN_MS = 500
/** Event streams do not end by themselves. */
const WITHIN_MS = 5_000

const inherited = new Map<number, number[]>()

/** @param given `WINDLASS_SOCKETS`: descriptors of the sockets that the launcher bound, by port, as in `4000:4,5;8090:6` */
export function inheritSockets(given = ''): void {
  for (const entry of given.split(';').filter(Boolean)) {
    const [port = '', descriptors = ''] = entry.split(':')
    inherited.set(Number(port), descriptors.split(',').map(Number))
  }
}

/** Descriptors of the sockets for a port; none where this process has to bind it. */
export const inheritedSockets = (port: number): readonly number[] => inherited.get(port) ?? []

const listening = new Set<Server>()

/** From now on {@link handOver} empties this server. */
export function handsOver(server: Server): void {
  listening.add(server)
  server.once('close', () => listening.delete(server))
}

/** Accepts nothing more, and resolves once requests under way have ended and their connections are closed. */
export async function handOver(): Promise<void> {
  await Promise.all([...listening].map(empty))
}

async function empty(server: Server): Promise<void> {
  await acceptWaiting(server)
  // Not http.Server's own `close`, which closes idle connections at once.
  Server.prototype.close.call(server)
  if (!(server instanceof HttpServer)) return
  server.prependListener('request', endConnection)
  const began = performance.now()
  const elapsed = () => performance.now() - began
  while (elapsed() < WITHIN_MS && (await countConnections(server)) > 0) {
    if (elapsed() > IDLE_MS) server.closeIdleConnections()
    await sleep(20)
  }
}

/**
 * Connections that the system has for this socket are reset when it closes. Each turn of the event loop accepts one; a turn
 * that begins after the loop looked for connections accepts none, so the second such turn is the last.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const until = performance.now() + ACCEPTS_WITHIN_MS
  let turnsWithout = 0
  const note = () => void (turnsWithout = 0)
  server.on('connection', note)
  while (turnsWithout < 2 && performance.now() < until) {
    turnsWithout++
    await setImmediate()
  }
  server.off('connection', note)
}

/** The client sends its next request over a new connection, which reaches the other process. */
function endConnection(request: IncomingMessage, response: ServerResponse): void {
  request.headers.connection = 'close'
  response.setHeader('connection', 'close')
}

const countConnections = (server: Server): Promise<number> =>
  new Promise(resolve => server.getConnections((error, count) => resolve(error ? 0 : count)))
