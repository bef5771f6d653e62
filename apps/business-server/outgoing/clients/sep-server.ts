import type { PlatformTransaction, RpcAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'

interface SepRequest {
  id: string
  method: string
  params: Record<string, unknown>
}

/** The SEP server's Platform API. */
export interface SepServer {
  /** One batch; answers in the order of the calls. Throws `dependency-unavailable`. */
  send(calls: readonly SepRequest[]): Promise<RpcAnswer[]>
  /** Milliseconds until the first of its messages is due; null: none waits. Throws `dependency-unavailable`. */
  dueInMs(): Promise<number | null>
  /** Null where there is none. */
  transaction(id: string): Promise<PlatformTransaction | null>
}

const TIMEOUT_MS = 10_000

export function createSepServer(sepServerUrl: string, linkSecret: string): SepServer {
  /** Null: there is nothing by this name. */
  const ask = async <T>(path: string, init: RequestInit): Promise<T | null> => {
    const { status, text } = await fetchPart(sepServerUrl + path, {
      ...init,
      headers: { 'x-api-key': linkSecret, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw unavailable('The SEP server', cause)
    })
    if (status === 404) return null
    if (status < 200 || status >= 300) throw unavailable('The SEP server', new Error(`it answered ${status}`))
    return JSON.parse(text) as T
  }
  /** It always has this. */
  const demand = async <T>(path: string, init: RequestInit): Promise<T> => {
    const found = await ask<T>(path, init)
    if (found === null) throw unavailable('The SEP server', new Error('it answered 404'))
    return found
  }
  return {
    send: calls => {
      const body = JSON.stringify(calls.map(call => ({ jsonrpc: '2.0', ...call })))
      return demand<RpcAnswer[]>('/', { method: 'POST', body })
    },
    dueInMs: async () => (await demand<{ dueInMs: number | null }>('/work', {})).dueInMs,
    transaction: id => ask<PlatformTransaction>(`/transactions/${encodeURIComponent(id)}`, {}),
  }
}
