import {
  HorizonError,
  readAccount,
  readHorizon,
  type HorizonAccount,
  type Urgency,
} from './horizon-account.ts'
import { LedgerError } from './ledger-error.ts'

export interface LedgerHead {
  sequence: number
  hash: string
  closedAt: Date
}

/** `unknown`: it may have been applied or may still be; only its hash tells. */
export type Submission =
  { outcome: 'applied' } | { outcome: 'refused'; codes: string[] } | { outcome: 'unknown'; detail: string }

/** A transaction in an account's history; the account need not be its source. */
export interface AccountTransaction {
  hash: string
  /** The hash of the transaction inside a fee bump. */
  innerHash: string | null
  source: string
  sourceSequence: string
  cursor: string
}

/**
 * The part of Horizon's API that sending transactions needs. Two calls may be answered by two instances behind one
 * address, and one of them may be some ledgers behind. Everything but `submit` throws {@link LedgerError}
 * `ledger-unavailable` when there is no good answer within ten seconds.
 */
export interface Horizon {
  account(id: string): Promise<HorizonAccount | null>
  /** `null`: not in the ledger's history (yet). */
  transaction(hash: string): Promise<{ successful: boolean } | null>
  head(): Promise<LedgerHead>
  /** A closed ledger; `null` where this instance has none of that number. */
  ledger(sequence: number): Promise<LedgerHead | null>
  /** At most {@link TRANSACTION_PAGE} transactions of an account, failed ones too, newest first, before `cursor`. */
  transactionsOf(account: string, cursor?: string): Promise<AccountTransaction[]>
  submit(envelope: string): Promise<Submission>
}

interface LedgerDocument {
  sequence: number
  hash: string
  closed_at: string
}

interface TransactionDocument {
  hash: string
  paging_token: string
  source_account: string
  source_account_sequence: string
  inner_transaction?: { hash: string }
}

interface Page<T> {
  _embedded: { records: T[] }
}

export const TRANSACTION_PAGE = 200
const SUBMIT_TIMEOUT_MS = 15_000

export function createHorizon(url: string, urgency: Urgency = 'money'): Horizon {
  return {
    account: id => available(readAccount(url, id, urgency)),
    transaction: hash =>
      available(readHorizon<{ successful: boolean }>(`${url}/transactions/${hash}`, urgency)),
    head: async () => {
      const path = `${url}/ledgers?order=desc&limit=1`
      const page = await available(readHorizon<Page<LedgerDocument>>(path, urgency))
      const ledger = page?._embedded.records[0]
      if (!ledger) throw unavailable('it has no ledger')
      return toHead(ledger)
    },
    ledger: async sequence => {
      const ledger = await available(readHorizon<LedgerDocument>(`${url}/ledgers/${sequence}`, urgency))
      return ledger && toHead(ledger)
    },
    transactionsOf: async (account, cursor = '') => {
      const query = `order=desc&limit=${TRANSACTION_PAGE}&include_failed=true&cursor=${cursor}`
      const path = `${url}/accounts/${account}/transactions?${query}`
      const page = await available(readHorizon<Page<TransactionDocument>>(path, urgency))
      return (page?._embedded.records ?? []).map(record => ({
        hash: record.hash,
        innerHash: record.inner_transaction?.hash ?? null,
        source: record.source_account,
        sourceSequence: record.source_account_sequence,
        cursor: record.paging_token,
      }))
    },
    submit: envelope => submit(url, envelope),
  }
}

function toHead({ sequence, hash, closed_at }: LedgerDocument): LedgerHead {
  return { sequence, hash, closedAt: new Date(closed_at) }
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
