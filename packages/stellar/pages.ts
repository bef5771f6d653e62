import { HorizonError, OtherNetworkError } from './horizon-client.ts'
import type { PaymentRecord, TransactionDocument } from './horizon.ts'

/** Records in a full page. */
export const PAGE = 200

/** A payment as Horizon sends it. */
type GivenPayment = Omit<PaymentRecord, 'fault'>

interface Reads {
  /** A page of a collection: its records. Throws {@link HorizonError}. */
  page<T>(path: string): Promise<T[]>
  transaction(hash: string): Promise<TransactionDocument | null>
}

/** Sizes of a page that was too much at once. */
const SMALL = 20
const SMALLEST = 2
/** Transactions of a page that are asked for one by one. */
const MOST_ALONE = 20
/** For so long pages are read in pieces after one that was too much, so that not each of them costs its time limit. */
const CAREFUL_MS = 600_000
const carefulUntil = new Map<string, number>()

const isCareful = (what: string): boolean => (carefulUntil.get(what) ?? 0) > performance.now()

/** Null: it was too much at once, or took too long. */
async function unlessTooMuch<T>(what: string, read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    const isRefusal = error instanceof HorizonError && [400, 404, 429].includes(error.status)
    if (!(error instanceof HorizonError) || error instanceof OtherNetworkError || isRefusal) throw error
    if (carefulUntil.size > 1_000) carefulUntil.clear()
    carefulUntil.set(what, performance.now() + CAREFUL_MS)
    return null
  }
}

/**
 * A page of an account's payments after a cursor, oldest first, each with its transaction. A stranger decides how large it
 * is: a transaction has up to a hundred payments, and each of them would carry the whole transaction with 20 signatures.
 * Where the page with transactions is too much, it is read without them, and each transaction once.
 */
export async function readPayments(
  url: string,
  account: string,
  cursor: string,
  reads: Reads,
): Promise<GivenPayment[]> {
  const what = `${url}/accounts/${account}/payments`
  const path = (limit: number, from: string, join = '&join=transactions') =>
    `/accounts/${account}/payments?order=asc&limit=${limit}${join}&cursor=${from}`
  if (!isCareful(what)) {
    const whole = await unlessTooMuch(what, reads.page<GivenPayment>(path(PAGE, cursor)))
    if (whole) return whole
  }
  const bare = await reads.page<GivenPayment>(path(PAGE, cursor, ''))
  const hashes = [...new Set(bare.map(each => each.transaction_hash))]
  if (hashes.length > MOST_ALONE)
    return readInPieces(cursor, (limit, from) => reads.page<GivenPayment>(path(limit, from)))
  const transactions = new Map<string, TransactionDocument>()
  for (const hash of hashes) {
    const found = await reads.transaction(hash)
    if (found) transactions.set(hash, found)
  }
  return bare.map(each => {
    const transaction = transactions.get(each.transaction_hash)
    return transaction ? { ...each, transaction } : each
  })
}

/** A page of an account's transactions, in small pages where it is too much at once. */
export async function readTransactions<T extends { paging_token: string }>(
  what: string,
  cursor: string,
  read: (limit: number, cursor: string) => Promise<T[]>,
): Promise<T[]> {
  const whole = isCareful(what) ? null : await unlessTooMuch(what, read(PAGE, cursor))
  return whole ?? readInPieces(cursor, read)
}

/** A full page from small ones; even these may be too much for one request. */
async function readInPieces<T extends { paging_token: string }>(
  cursor: string,
  read: (limit: number, cursor: string) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  let limit = SMALL
  while (all.length < PAGE) {
    const from = all.at(-1)?.paging_token ?? cursor
    const piece = await read(limit, from).catch((error: unknown) => {
      if (limit === SMALLEST || !(error instanceof HorizonError) || error.status === 429) throw error
      return null
    })
    if (piece === null) {
      limit = SMALLEST
      continue
    }
    all.push(...piece)
    if (piece.length < limit) return all
  }
  return all.slice(0, PAGE)
}
