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

/** Asks Stellar RPC (JSON-RPC 2.0). Throws where it does not answer as it should. */
export async function askRpc(url: string, method: string, params: object): Promise<Record<string, unknown>> {
  const id = nextId++
  const answer = await post(url, { jsonrpc: '2.0', id, method, params })
  const { result } = answer
  if (answer.id !== id || typeof result !== 'object' || result === null)
    throw new Error(`${method} got ${JSON.stringify(answer.error ?? 'no result')}`)
  return result as Record<string, unknown>
}

/** Simulates a transaction (base64 XDR) of one call, whose authorization entries are enforced. Throws as {@link askRpc}. */
export const simulate = (url: string, transaction: string): Promise<Simulation> =>
  askRpc(url, 'simulateTransaction', { transaction, authMode: 'enforce' })

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
