import { bareHost } from '@windlass/service/outbound/outbound.ts'
import http, { type ClientRequestArgs } from 'node:http'
import { lookup } from 'node:dns'
import { connect, type LookupFunction, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An address of IPv6 comes with the brackets that it has in the address of a server. */
export const lookUp: LookupFunction = (host, options, callback) =>
  lookup(bareHost(host), options, callback as never)

export const RETRY_MS = 250
/** Nobody listens there now, or nobody has the name. */
const AWAY = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])
/** It ended while it had the connection. */
const ENDED = new Set(['ECONNRESET', 'EPIPE'])

/** How long one request waits for a server that may be starting again. */
export interface Wait {
  /** Opens its connections as soon as the server accepts them. */
  agent: http.Agent
  /** Whether it may wait longer. The first call begins the time. */
  hasTime(): boolean
}

/**
 * For a server that may be starting again: requests wait until it accepts connections, their bodies at the sender. One
 * connection is tried for all that wait. Returns what makes the wait of each.
 *
 * @param waitMs how long, at most
 */
export function createWaits(waitMs: number): () => Wait {
  const tries = new Map<string, Promise<boolean>>()

  const isBack = (name: string, options: NetConnectOpts): Promise<boolean> => {
    const next = tries.get(name) ?? accepts(options).finally(() => tries.delete(name))
    tries.set(name, next)
    return next
  }
  return () => {
    const agent = new http.Agent({ keepAlive: false, lookup: lookUp })
    let end: number | undefined
    const hasTime = (): boolean => performance.now() < (end ??= performance.now() + waitMs)
    const openWhenBack = async (options: NetConnectOpts): Promise<Socket> => {
      const name = agent.getName(options as ClientRequestArgs)
      for (;;) {
        try {
          return await open(options)
        } catch (error) {
          if (!isAway(error) || !hasTime()) throw error
        }
        let back = false
        while (!back && hasTime()) back = await isBack(name, options)
      }
    }
    agent.createConnection = (options, callback) => {
      openWhenBack(options as NetConnectOpts).then(
        socket => callback?.(null, socket),
        // Node reads the error alone then.
        (error: Error) => callback?.(error, undefined as never),
      )
      return undefined
    }
    return { agent, hasTime }
  }
}

/** Whether it accepts connections a moment later. */
async function accepts(options: NetConnectOpts): Promise<boolean> {
  await sleep(RETRY_MS)
  const socket = await open(options).catch(() => null)
  socket?.destroy()
  return socket !== null
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

export const isAway = (error: unknown): boolean => AWAY.has(codeOf(error))
export const hasEnded = (error: unknown): boolean => ENDED.has(codeOf(error))

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)
