import { findPersonTransactions, PersonTransactions } from '@windlass/contracts/anchor/business-server.ts'
import type { CustomerTransaction, listCustomerTransactions } from '@windlass/contracts/platform/customers.ts'
import type { AnswerOf, QueryOf } from '@windlass/contracts/endpoint.ts'
import { cursorAfter, type PageQuery, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import type { Static } from 'typebox'
import Value from 'typebox/value'
import { type AnchorRow, findAnchor } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { organizationNames } from '../operators/organizations.ts'
import { hasAccess, listVisits } from '../visits/visits.ts'
import { clientOfAnchor } from '../workspaces/anchor-server.ts'

type Query = QueryOf<typeof listCustomerTransactions>
type Answer = AnswerOf<typeof listCustomerTransactions>

/** A page asks no more anchors: those where the customer was last new. */
const ANCHORS = 50

/**
 * The customer's transactions at the anchors that have access, newest first. Every anchor is asked for the same page, and
 * the newest rows of all make this one: the cursor is a time and an id, which every anchor understands.
 */
export async function transactionsOf(deps: Deps, customerId: string, query: Query): Promise<Answer> {
  // Before any anchor is asked: a cursor that is not one of ours is refused here.
  pageStart(query)
  const anchors = await anchorsOf(deps, customerId, query.anchorId)
  const names = await organizationNames(
    deps.database.db,
    anchors.map(({ organization_id }) => organization_id),
  )
  const signal = AbortSignal.timeout(deps.anchorAnswersWithinMs)
  const pages = await Promise.all(
    anchors.map(async row => {
      const anchor = {
        id: row.id,
        homeDomain: row.home_domain,
        organizationName: names.get(row.organization_id) ?? '',
      }
      return {
        anchor,
        ...(await pageAt(deps, row, customerId, query, signal)),
        assetCode: row.plan.asset.code,
      }
    }),
  )
  const rows = pages
    .flatMap(({ anchor, assetCode, transactions }) =>
      (transactions ?? []).map((transaction): CustomerTransaction => ({
        ...transaction,
        anchor,
        assetCode: transaction.asset?.code ?? assetCode,
      })),
    )
    .sort(byNewest)
  const shown = rows.slice(0, pageSize(query))
  const more = rows.length > shown.length || pages.some(({ next }) => next)
  const last = more ? shown.at(-1) : undefined
  return {
    transactions: shown,
    unavailable: pages.flatMap(({ anchor, transactions }) => (transactions ? [] : [anchor])),
    next: last ? cursorAfter({ id: last.id, createdAt: new Date(last.createdAt) }) : null,
  }
}

async function anchorsOf(
  { database: { db } }: Deps,
  customerId: string,
  anchorId: string | undefined,
): Promise<AnchorRow[]> {
  const ids =
    anchorId === undefined
      ? (await listVisits(db, customerId, null, ANCHORS)).map(visit => visit.anchorId)
      : (await hasAccess(db, anchorId, customerId))
        ? [anchorId]
        : []
  const rows = await Promise.all(ids.map(id => findAnchor(db, id)))
  return rows.filter(row => row !== undefined && row.status !== 'removed') as AnchorRow[]
}

/** Without `transactions` where the anchor does not answer, for whatever reason. */
async function pageAt(
  deps: Deps,
  anchor: AnchorRow,
  personId: string,
  { kind, status, limit, cursor }: Query,
  signal: AbortSignal,
) {
  const filter = Object.fromEntries(
    Object.entries({ kind, status, limit, cursor }).filter(([, value]) => value !== undefined),
  )
  try {
    const page = await clientOfAnchor(deps, anchor).call(findPersonTransactions, {
      body: { personId, ...filter },
      signal,
    })
    if (!isPage(page, { limit, cursor }, deps.clock.now()))
      throw new Error('its answer is not a page of the list')
    return page
  } catch (error) {
    deps.logger.warn({ err: error, anchorId: anchor.id }, 'an anchor did not list a customer’s transactions')
    return { transactions: null, next: null }
  }
}

/** Clocks of anchors' machines differ. */
const AHEAD_MS = 300_000

/** Whether an answer is what was asked for: the server of one anchor must neither break nor bury the list of all. */
function isPage(answer: unknown, query: PageQuery, now: Date): answer is Static<typeof PersonTransactions> {
  if (!Value.Check(PersonTransactions, answer)) return false
  const start = pageStart(query)
  const before = start && { createdAt: start.createdAt.toISOString(), id: start.id }
  const latest = new Date(now.getTime() + AHEAD_MS).toISOString()
  return (
    answer.transactions.length <= pageSize(query) &&
    answer.transactions.every(
      row =>
        isTime(row.createdAt) && row.createdAt <= latest && (before === null || byNewest(before, row) < 0),
    )
  )
}

/** Times are compared as texts. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))

interface Place {
  createdAt: string
  id: string
}

/** As the anchors sort: by time, then by id. */
function byNewest(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  if (a.id === b.id) return 0
  return a.id < b.id ? 1 : -1
}
