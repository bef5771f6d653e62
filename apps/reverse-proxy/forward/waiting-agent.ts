import http, { type ClientRequestArgs } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 250
/** Nobody listens there now, or nobody has the name. */
const AWAY = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * For a server that may be starting again: requests wait until it accepts connections, their bodies at the sender. One
 * connection is tried for all that wait.
 *
 * @param waitMs how long, at most
 */
export function createWaitingAgent(waitMs: number): http.Agent {
  const agent = new http.Agent({ keepAlive: false })
  const returns = new Map<string, Promise<void>>()

  const untilBack = async (options: NetConnectOpts): Promise<void> => {
    for (const end = performance.now() + waitMs; performance.now() < end;) {
      await sleep(RETRY_MS)
      const socket = await open(options).catch(() => null)
      if (socket) return void socket.destroy()
    }
  }
  const openWhenBack = async (options: NetConnectOpts): Promise<Socket> => {
    try {
      return await open(options)
    } catch (error) {
      if (!isAway(error)) throw error
    }
    const name = agent.getName(options as ClientRequestArgs)
    const back = returns.get(name) ?? untilBack(options).finally(() => returns.delete(name))
    returns.set(name, back)
    await back
    return open(options)
  }
  agent.createConnection = (options, callback) => {
    openWhenBack(options as NetConnectOpts).then(
      socket => callback?.(null, socket),
      // Node reads the error alone then.
      (error: Error) => callback?.(error, undefined as never),
    )
    return undefined
  }
  return agent
}

function open(options: NetConnectOpts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

export const isAway = (error: unknown): boolean => AWAY.has(String((error as { code?: unknown }).code))
