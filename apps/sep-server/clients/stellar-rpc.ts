import { unavailable } from '@windlass/service/problem.ts'
import type { Clock } from '@windlass/service/clock.ts'

/** What a call would do, as Stellar RPC simulates it. */
interface Simulation {
  /** Why it would fail; absent: it would not. */
  error?: string
  /** SorobanTransactionData, base64 XDR. */
  transactionData?: string
  results?: { xdr: string }[]
  /** Entries that would have to be restored first. */
  restorePreamble?: unknown
}

/** Stellar RPC (JSON-RPC 2.0). Throws `dependency-unavailable` where it does not answer as it should. */
export interface StellarRpc {
  /** Asked at most every half minute. */
  latestLedger(): Promise<number>
  /** Enforces the authorization entries of the transaction (base64 XDR). */
  simulate(transaction: string): Promise<Simulation>
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024
const FRESH_MS = 30_000

export function createStellarRpc(url: string, clock: Clock): StellarRpc {
  let known: { sequence: number; at: number } | undefined
  let nextId = 1
  const call = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = nextId++
    const answer = await post(url, { jsonrpc: '2.0', id, method, params }).catch((cause: unknown) => {
      throw unavailable('Stellar RPC', cause)
    })
    const { result } = answer
    if (answer.id !== id || typeof result !== 'object' || result === null)
      throw unavailable(
        'Stellar RPC',
        new Error(`${method} got ${JSON.stringify(answer.error ?? 'no result')}`),
      )
    return result as Record<string, unknown>
  }
  return {
    latestLedger: async () => {
      const now = clock.now().getTime()
      if (known && now - known.at < FRESH_MS) return known.sequence
      const { sequence } = await call('getLatestLedger', {})
      if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1)
        throw unavailable('Stellar RPC', new Error('it has no latest ledger'))
      known = { sequence, at: now }
      return sequence
    },
    simulate: transaction => call('simulateTransaction', { transaction, authMode: 'enforce' }),
  }
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}
