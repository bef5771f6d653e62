import { readAccount, type HorizonAccount } from './horizon-account.ts'
import {
  faultOfLedger,
  faultOfTransaction,
  isTime,
  isUnreadable,
  ledgerOf,
  paymentChecker,
} from './check-answers.ts'
import { askHorizon, HorizonError, OtherNetworkError, readHorizon, type Urgency } from './horizon-client.ts'
import { LedgerError } from './ledger-error.ts'
import type { LedgerSource } from './network.ts'
import type { SecondSource } from './second-source.ts'
import { readPayments, readTransactions } from './pages.ts'
import { readSigned } from './signatures.ts'
import { submitEnvelope } from './submit.ts'

export interface LedgerHead {
  sequence: number
  hash: string
  closedAt: Date
  /** Stroops. */
  baseReserve: bigint
}

/** Fees of the last ledgers, in stroops for one operation. */
export interface FeeStats {
  /** The least that the last ledger took. */
  lastBaseFee: bigint
  /** What 99 of 100 transactions were charged at most. */
  charged: bigint
}

/** Which ledgers an instance holds. */
export interface HistoryRange {
  elder: number
  latest: number
}

/** A payment in an account's history, as Horizon describes it. */
export interface PaymentRecord {
  id: string
  paging_token: string
  type: string
  created_at: string
  transaction_hash: string
  transaction_successful: boolean
  from?: string
  from_muxed?: string
  to?: string
  to_muxed_id?: string
  asset_type?: string
  asset_code?: string
  asset_issuer?: string
  amount?: string
  transaction?: TransactionDocument
  /** What a contract's call (`invoke_host_function`) changed. */
  asset_balance_changes?: BalanceChange[]
  /** What the record contradicts in itself, in words for an operator; null: nothing. No part of Horizon's answer. */
  fault: string | null
}

interface BalanceChange {
  /** `transfer`, `mint`, `burn` or `clawback` */
  type: string
  /** `G…` or `C…` */
  from?: string
  to?: string
  asset_code?: string
  asset_issuer?: string
  amount: string
}

/** One Horizon's word. `unknown`: it may have been applied or may still be; only its hash tells. */
export type Submission =
  { outcome: 'applied' } | { outcome: 'refused'; codes: string[] } | { outcome: 'unknown'; detail: string }

/** A transaction on the ledger. */
export interface LedgerTransaction {
  successful: boolean
  /** Stroops; absent in tests. */
  feeCharged?: bigint
  /** Its place in the network's history; absent in tests. */
  cursor?: string
  /** Base64 XDR; absent in tests. */
  result?: string
  /** Base64 XDR; absent in tests. */
  envelope?: string
  /** When its ledger closed; absent in tests. */
  closedAt?: Date
}

/** A transaction in an account's history; the account need not be its source. */
export interface AccountTransaction {
  hash: string
  /** The hash of the transaction inside a fee bump. */
  innerHash: string | null
  source: string
  sourceSequence: string
  cursor: string
  successful: boolean
  /** Base64; null: of another account, and it cannot be read, so that nothing else here says anything either. */
  xdr: string | null
  /** Base64. */
  result: string
  /** Stroops. */
  feeCharged: bigint
  /** The ledger that contains it. */
  ledger: number
  /** When that closed. */
  closedAt: Date
  /** Whether one of these keys signed it. */
  isSignedBy(keys: readonly string[]): boolean
}

/**
 * The part of Horizon's API that sending transactions needs. Two calls may be answered by two instances behind one
 * address, and one of them may be some ledgers behind. Everything but `submit` throws {@link LedgerError}
 * `ledger-unavailable` when there is no good answer within ten seconds: one that contradicts itself is none.
 */
export interface Horizon {
  account(id: string): Promise<HorizonAccount | null>
  /** `null`: not in the ledger's history (yet). */
  transaction(hash: string): Promise<LedgerTransaction | null>
  head(): Promise<LedgerHead>
  feeStats(): Promise<FeeStats>
  history(): Promise<HistoryRange>
  /** At most {@link PAGE} payments of an account after `cursor`, oldest first, each with its transaction. */
  paymentsOf(account: string, cursor: string): Promise<PaymentRecord[]>
  /** A closed ledger; `null` where this instance has none of that number. */
  ledger(sequence: number): Promise<LedgerHead | null>
  /** At most {@link PAGE} transactions of an account, failed ones too, from `cursor` on: by default newest first. */
  transactionsOf(account: string, cursor?: string, order?: 'asc' | 'desc'): Promise<AccountTransaction[]>
  /** Whether there is a claimable balance, by the ledger that the answer describes (null: Horizon did not say). */
  claimableBalance(id: string): Promise<{ exists: boolean; ledger: number | null }>
  submit(envelope: string): Promise<Submission>
  /** Another, independent source, which has to agree where money would follow from one answer; absent: there is none. */
  second?: SecondSource | null
}

export interface LedgerDocument {
  sequence: number
  hash: string
  closed_at: string
  base_reserve_in_stroops?: number
  /** Base64. */
  header_xdr: string
}

/** A transaction as Horizon describes it, with the ledger's own bytes (base64 XDR). */
export interface TransactionDocument {
  hash: string
  paging_token: string
  source_account: string
  source_account_sequence: string
  inner_transaction?: { hash: string }
  successful: boolean
  fee_charged: string
  memo?: string
  memo_type: string
  envelope_xdr: string
  result_xdr: string
  ledger: number
  /** When its ledger closed. */
  created_at: string
}

interface Page<T> {
  _embedded: { records: T[] }
}

export { PAGE } from './pages.ts'
// Stroops, of every network so far.
const BASE_RESERVE = 5_000_000

interface FeeStatsDocument {
  last_ledger_base_fee: string
  fee_charged: { p99: string }
}

interface RootDocument {
  history_elder_ledger: number
  history_latest_ledger: number
}

/** What settling a transaction asks: each answer stands by itself. */
export type ProofSource = Omit<Horizon, 'feeStats' | 'history' | 'paymentsOf' | 'claimableBalance'>

/** Whether something failed because Horizon is of another network than ours, however it was passed on. */
export function otherNetworkIn(error: unknown): OtherNetworkError | null {
  if (error instanceof OtherNetworkError) return error
  return error instanceof Error && error.cause !== undefined ? otherNetworkIn(error.cause) : null
}

/**
 * The only way to Horizon's API, besides {@link readAccount} and {@link followHorizon}.
 *
 * @param historyUrl a Horizon with full history, asked where the first has not kept what is looked for
 */
export function createHorizon(
  source: LedgerSource,
  urgency: Urgency = 'money',
  { historyUrl, second = null }: { historyUrl?: string | undefined; second?: SecondSource | null } = {},
): Horizon {
  const history = historyUrl ? { ...source, url: historyUrl } : null
  const read = <T>(path: string) => available(readHorizon<T>(source, path, { urgency }))
  const readOld = async <T>(path: string): Promise<T | null> => {
    const found = await read<T>(path)
    if (history === null) return found
    return found ?? (await available(readHorizon<T>(history, path, { urgency })))
  }
  return {
    account: id => available(readAccount(source, id, urgency)),
    transaction: async hash => {
      const found = await readOld<TransactionDocument>(`/transactions/${hash}`)
      if (!found) return null
      requireProven({ of: found, hash }, source)
      if (!isTime(found.created_at)) throw unavailable(`the time of transaction ${hash} cannot be read`)
      const {
        successful,
        fee_charged,
        paging_token: cursor,
        result_xdr: result,
        envelope_xdr: envelope,
      } = found
      const closedAt = new Date(found.created_at)
      return { successful, cursor, result, envelope, closedAt, feeCharged: BigInt(fee_charged) }
    },
    head: async () => {
      const page = await read<Page<LedgerDocument>>('/ledgers?order=desc&limit=1')
      const ledger = page?._embedded.records[0]
      if (!ledger) throw unavailable('it has no ledger')
      return toHead(ledger)
    },
    feeStats: async () => {
      const stats = await read<FeeStatsDocument>('/fee_stats')
      if (!stats) throw unavailable('it has no fees')
      return { lastBaseFee: BigInt(stats.last_ledger_base_fee), charged: BigInt(stats.fee_charged.p99) }
    },
    history: async () => {
      const root = await read<RootDocument>('/')
      if (!root) throw unavailable('it does not say which ledgers it has')
      return { elder: root.history_elder_ledger, latest: root.history_latest_ledger }
    },
    ledger: async sequence => {
      const ledger = await readOld<LedgerDocument>(`/ledgers/${sequence}`)
      return ledger && toHead(ledger)
    },
    paymentsOf: async (account, cursor) => {
      const faultOf = paymentChecker(source.passphrase)
      const records = await available(
        readPayments(source.url, account, cursor, {
          page: async <T>(path: string) =>
            (await readHorizon<Page<T>>(source, path, { urgency }))?._embedded.records ?? [],
          transaction: hash => readHorizon<TransactionDocument>(source, `/transactions/${hash}`, { urgency }),
        }),
      )
      return records.map(record => ({ ...record, fault: faultOf(record) }))
    },
    transactionsOf: async (account, cursor = '', order = 'desc') => {
      // A page of a Horizon with less history ends without a word.
      const from = history ?? source
      const path = `/accounts/${account}/transactions?order=${order}&include_failed=true`
      const records = await available(
        readTransactions(`${from.url}${path}`, cursor, async (limit, after) => {
          const page = await readHorizon<Page<TransactionDocument>>(
            ...([from, `${path}&limit=${limit}&cursor=${after}`, { urgency }] as const),
          )
          return page?._embedded.records ?? []
        }),
      )
      requireOrder(records, order)
      // What a stranger puts beside a payment to the account hides no other transaction.
      const isForeign = (record: TransactionDocument) =>
        record.source_account !== account && isUnreadable(record, source.passphrase)
      return records.map(record => (isForeign(record) ? unreadForm(record) : transactionForm(record, source)))
    },
    claimableBalance: async id => {
      const asked = askHorizon(source, `/claimable_balances/${id}`, { urgency, accept: [404] })
      const { status, headers, cancel } = await available(asked)
      cancel()
      return { exists: status !== 404, ledger: Number(headers.get('latest-ledger')) || null }
    },
    submit: envelope => submitEnvelope(source, envelope),
    second,
  }
}

/** @param hash by which it was asked for: of a fee bump it may be the one of the transaction inside */
function requireProven(
  { of, hash = of.hash }: { of: TransactionDocument; hash?: string },
  { passphrase }: LedgerSource,
): void {
  const fault = of.hash === hash ? faultOfTransaction(of, passphrase) : 'it is of another transaction'
  if (fault !== null) throw unavailable(`what it says of transaction ${hash} contradicts itself: ${fault}`)
}

function transactionForm(record: TransactionDocument, source: LedgerSource): AccountTransaction {
  requireProven({ of: record }, source)
  const { hash, source_account, source_account_sequence, paging_token, successful, ledger } = record
  const { envelope_xdr: xdr, result_xdr: result } = record
  return {
    ...{ hash, source: source_account, sourceSequence: source_account_sequence, cursor: paging_token },
    ...{ innerHash: record.inner_transaction?.hash ?? null, successful, xdr, result, ledger },
    feeCharged: BigInt(record.fee_charged),
    closedAt: new Date(record.created_at),
    isSignedBy: keys => readSigned(xdr, source.passphrase).isSignedBy(keys),
  }
}

/** Its place, by which it is passed. */
const unreadForm = ({
  hash,
  source_account,
  paging_token: cursor,
  created_at,
}: TransactionDocument): AccountTransaction => ({
  ...{ hash: String(hash), innerHash: null, source: String(source_account), sourceSequence: '0', cursor },
  ...{ successful: false, xdr: null, result: '', feeCharged: 0n, ledger: ledgerOf(cursor) },
  closedAt: new Date(created_at),
  isSignedBy: () => false,
})

/** A page's paging tokens follow its order. */
function requireOrder(records: readonly TransactionDocument[], order: 'asc' | 'desc'): void {
  const given = records.map(({ paging_token }) => String(paging_token))
  const tokens = given.every(token => /^\d{1,19}$/.test(token)) ? given.map(BigInt) : null
  const isOrdered = tokens?.every((token, index) => {
    const before = tokens[index - 1]
    return before === undefined || (order === 'asc' ? before < token : before > token)
  })
  if (!isOrdered) throw unavailable('its page of transactions is not in order')
}

function toHead(ledger: LedgerDocument): LedgerHead {
  const fault = faultOfLedger(ledger)
  if (fault !== null)
    throw unavailable(`what it says of ledger ${ledger.sequence} contradicts itself: ${fault}`)
  const { sequence, hash, closed_at, base_reserve_in_stroops } = ledger
  const baseReserve = BigInt(base_reserve_in_stroops ?? BASE_RESERVE)
  return { sequence, hash, closedAt: new Date(closed_at), baseReserve }
}

async function available<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof HorizonError)) throw error
    if (error instanceof OtherNetworkError) throw unavailable('it is of another network', error)
    throw unavailable(whyOf(error.status), error)
  }
}

function whyOf(status: number): string {
  if (status === 0) return 'it does not answer'
  return status === 429 ? 'it limits our rate' : `it answered ${status}`
}

function unavailable(why: string, cause?: unknown): LedgerError {
  return new LedgerError('ledger-unavailable', `The Stellar network is not available: ${why}.`, { cause })
}
