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
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetchPart(sepServerUrl + path, {
      ...init,
      headers: { 'x-api-key': linkSecret, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw unavailable('The SEP server', cause)
    })
    if (response.ok || response.status === 404) return response
    await response.body?.cancel()
    throw unavailable('The SEP server', new Error(`it answered ${response.status}`))
  }
  return {
    send: async calls => {
      const body = JSON.stringify(calls.map(call => ({ jsonrpc: '2.0', ...call })))
      return (await (await ask('/', { method: 'POST', body })).json()) as RpcAnswer[]
    },
    dueInMs: async () => {
      const response = await ask('/work', { method: 'GET' })
      return ((await response.json()) as { dueInMs: number | null }).dueInMs
    },
    transaction: async id => {
      const response = await ask(`/transactions/${encodeURIComponent(id)}`, { method: 'GET' })
      if (response.ok) return (await response.json()) as PlatformTransaction
      await response.body?.cancel()
      return null
    },
  }
}
