import { HorizonError, readAccount, readHorizon, type HorizonAccount } from './horizon-account.ts'
import { LedgerError } from './ledger-error.ts'

export interface LedgerHead {
  sequence: number
  hash: string
  closedAt: Date
}

/** `unknown`: it may have been applied or may still be; only its hash tells. */
export type Submission =
  { outcome: 'applied' } | { outcome: 'refused'; codes: string[] } | { outcome: 'unknown'; detail: string }

/**
 * Horizon's API as far as provisioning needs it. Everything but `submit` throws {@link LedgerError}
 * `ledger-unavailable` when there is no good answer within ten seconds.
 */
export interface Horizon {
  account(id: string): Promise<HorizonAccount | null>
  /** `null`: not in the ledger's history (yet). */
  transaction(hash: string): Promise<{ successful: boolean } | null>
  head(): Promise<LedgerHead>
  /** The hash of a closed ledger, `null` where there is none of that number. */
  ledgerHash(sequence: number): Promise<string | null>
  submit(envelope: string): Promise<Submission>
}

interface LedgerDocument {
  sequence: number
  hash: string
  closed_at: string
}

const SUBMIT_TIMEOUT_MS = 15_000

export function createHorizon(url: string): Horizon {
  return {
    account: id => available(readAccount(url, id)),
    transaction: hash => available(readHorizon<{ successful: boolean }>(`${url}/transactions/${hash}`)),
    head: async () => {
      const path = `${url}/ledgers?order=desc&limit=1`
      const page = await available(readHorizon<{ _embedded: { records: LedgerDocument[] } }>(path))
      const ledger = page?._embedded.records[0]
      if (!ledger) throw unavailable('it told no ledger')
      return { sequence: ledger.sequence, hash: ledger.hash, closedAt: new Date(ledger.closed_at) }
    },
    ledgerHash: async sequence =>
      (await available(readHorizon<LedgerDocument>(`${url}/ledgers/${sequence}`)))?.hash ?? null,
    submit: envelope => submit(url, envelope),
  }
}

async function submit(url: string, envelope: string): Promise<Submission> {
  try {
    const response = await fetch(`${url}/transactions`, {
      method: 'POST',
      body: new URLSearchParams({ tx: envelope }),
      signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.ok) return { outcome: 'applied' }
    const codes = response.status === 400 ? resultCodes(text) : null
    return codes ? { outcome: 'refused', codes } : { outcome: 'unknown', detail: `HTTP ${response.status}` }
  } catch (error) {
    return { outcome: 'unknown', detail: (error as Error).message }
  }
}

/** The transaction's code, then the operations'. */
function resultCodes(problem: string): string[] | null {
  interface Refusal {
    extras?: { result_codes?: { transaction?: string; operations?: string[] } }
  }
  const codes = (JSON.parse(problem) as Refusal | null)?.extras?.result_codes
  return codes?.transaction ? [codes.transaction, ...(codes.operations ?? [])] : null
}

async function available<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof HorizonError)) throw error
    throw unavailable(error.status ? `it answered ${error.status}` : 'it does not answer', error)
  }
}

function unavailable(why: string, cause?: unknown): LedgerError {
  return new LedgerError('ledger-unavailable', `The Stellar network is not available: ${why}.`, { cause })
}
