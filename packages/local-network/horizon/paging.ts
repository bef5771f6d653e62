import type { FastifyRequest } from 'fastify'
import { int64Max } from '../ledger/entries.ts'
import { ledgerId } from '../ledger/order.ts'
import { badRequest, beforeHistory } from './problems.ts'
import { baseUrl, queryValue } from './requests.ts'

const defaultLimit = 10
const largestLimit = 200

/** Which part of a collection is asked for: `limit` records that follow the cursor in the order. */
export interface Page {
  readonly cursor: string
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/** What an instance has in its history. */
export interface History {
  /** Its oldest ledger. */
  readonly elder: number
}

export interface Resource {
  readonly paging_token: string
}

/** @throws HorizonProblem for a limit or an order that is none */
export function pageOf(request: FastifyRequest): Page {
  const order = queryValue(request, 'order') || 'asc'
  if (order !== 'asc' && order !== 'desc') throw badRequest('order', 'order: invalid value')
  const limit = queryValue(request, 'limit') || String(defaultLimit)
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > largestLimit)
    throw badRequest('limit', limitReason(limit))
  return { cursor: queryValue(request, 'cursor'), order, limit: Number(limit) }
}

function limitReason(limit: string): string {
  return Number(limit) > largestLimit
    ? `invalid limit: value provided that is over limit max of ${largestLimit}`
    : 'invalid limit: must be a positive number'
}

/**
 * The cursor of a history collection as the id it names.
 * @throws HorizonProblem
 */
export function historyCursor({ cursor, order }: Page, { elder }: History): bigint {
  if (cursor === '') return order === 'asc' ? 0n : int64Max
  if (!/^\d{1,19}$/.test(cursor) || BigInt(cursor) > int64Max)
    throw badRequest('cursor', 'cursor: invalid value')
  requireWithinHistory(BigInt(cursor), order, elder)
  return BigInt(cursor)
}

/**
 * A descending page from before the history is refused. An ascending one starts where the history starts, so that
 * a reader with an old cursor misses what is in between without an error.
 * @throws HorizonProblem 410
 */
export function requireWithinHistory(cursor: bigint, order: Page['order'], elder: number): void {
  if (order === 'desc' && cursor <= ledgerId(elder)) throw beforeHistory()
}

export function pageBody(request: FastifyRequest, page: Page, records: readonly Resource[]): object {
  const link = (cursor: string, order: string) => {
    const url = new URL(request.url, baseUrl(request))
    url.searchParams.set('cursor', cursor)
    url.searchParams.set('limit', String(page.limit))
    url.searchParams.set('order', order)
    url.searchParams.sort()
    return { href: url.toString() }
  }
  const first = records[0]?.paging_token ?? page.cursor
  const last = records.at(-1)?.paging_token ?? page.cursor
  return {
    _links: {
      self: link(page.cursor, page.order),
      next: link(last, page.order),
      prev: link(first, page.order === 'asc' ? 'desc' : 'asc'),
    },
    _embedded: { records },
  }
}
