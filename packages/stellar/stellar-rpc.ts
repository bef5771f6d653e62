import { openAnswer } from '@windlass/service/outbound/open-answer.ts'
import { readBounded } from './bounded-body.ts'

/** What a call would do, as Stellar RPC simulates it. */
export interface Simulation {
  /** Why it would fail; absent: it would not. */
  error?: string
  /** SorobanTransactionData, base64 XDR. */
  transactionData?: string
  results?: { xdr: string }[]
  /** Entries that would have to be restored first. */
  restorePreamble?: unknown
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

let nextId = 1

/** Stellar RPC answered that it does not do what was asked. */
export class RpcRefusal extends Error {}

/** Asks Stellar RPC (JSON-RPC 2.0). Throws where it does not answer as it should, {@link RpcRefusal} where it refuses. */
export async function askRpc(
  url: string,
  method: string,
  params: object,
  maxBytes = MAX_BYTES,
): Promise<Record<string, unknown>> {
  const id = nextId++
  const answer = await post(url, { jsonrpc: '2.0', id, method, params }, maxBytes)
  const { result, error } = answer
  if (answer.id === id && error) throw new RpcRefusal(`${method} got ${JSON.stringify(error)}`)
  if (answer.id !== id || typeof result !== 'object' || result === null)
    throw new Error(`${method} got no result`)
  return result as Record<string, unknown>
}

/** Simulates a transaction (base64 XDR) of one call, whose authorization entries are enforced. Throws as {@link askRpc}. */
export const simulate = (url: string, transaction: string): Promise<Simulation> =>
  askRpc(url, 'simulateTransaction', { transaction, authMode: 'enforce' })

async function post(url: string, body: object, maxBytes: number): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await openAnswer(url, { body: JSON.stringify(body), signal, redirects: 0 })
  const text = await readBounded(answer.body, maxBytes)
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  return JSON.parse(text.toString()) as Record<string, unknown>
}
