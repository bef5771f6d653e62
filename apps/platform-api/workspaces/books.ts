import type { Client, Reply } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { getAnchorSummary } from '@windlass/contracts/business-server.ts'
import * as anchor from '@windlass/contracts/developer-api.ts'
import * as contracts from '@windlass/contracts/workspace-books.ts'
import { linkCursor } from '@windlass/service/pages.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import { findAnchor } from '../anchors/find.ts'
import { summarySecretContext } from '../anchors/registry.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { demandMember } from './access.ts'

const told = asNeighbour('The anchor')

/** What an organization reads of its anchor's books: passed on from the anchor's own business server. */
export function bookRoutes(on: On, deps: Deps): void {
  on(contracts.getWorkspaceTreasury).serve(async ({ params, principal }) => {
    const server = await businessServer(deps, principal.userId, params.anchorId)
    return told(server.call(getAnchorSummary))
  })
  on(contracts.listWorkspaceTransactions).serve(async ({ params, query, principal, request, reply }) => {
    const server = await businessServer(deps, principal.userId, params.anchorId)
    return page(server.send(anchor.listDeveloperTransactions, { query }), request, reply)
  })
  on(contracts.getWorkspaceTransaction).serve(async ({ params, principal }) => {
    const server = await businessServer(deps, principal.userId, params.anchorId)
    return told(server.call(anchor.getDeveloperTransaction, { params: { id: params.id } }))
  })
  on(contracts.listWorkspaceCustomers).serve(async ({ params, query, principal, request, reply }) => {
    const server = await businessServer(deps, principal.userId, params.anchorId)
    return page(server.send(anchor.listDeveloperCustomers, { query }), request, reply)
  })
  on(contracts.listWorkspaceDeliveries).serve(async ({ params, query, principal, request, reply }) => {
    const server = await businessServer(deps, principal.userId, params.anchorId)
    return page(server.send(anchor.listWebhookDeliveries, { query }), request, reply)
  })
}

/** One page of a neighbour's list, its `Link` leading on through this service. */
async function page<T>(
  asked: Promise<Reply<T>>,
  request: Parameters<typeof linkCursor>[0],
  reply: Parameters<typeof linkCursor>[1],
): Promise<T> {
  const { body, headers } = await told(asked)
  const cursor = nextCursor(headers)
  if (cursor) linkCursor(request, reply, cursor)
  return body
}

/** Throws `anchor-not-found`, and `dependency-unavailable` for an anchor whose servers do not run. */
async function businessServer(deps: Deps, userId: string, anchorId: string): Promise<Client> {
  const { db } = deps.database
  await demandMember(db, userId, anchorId)
  const row = await findAnchor(db, anchorId)
  if (row?.status !== 'active' || !row.api_url || !row.summary_secret) {
    throw unavailable(`The anchor (${row?.status ?? 'removed'})`)
  }
  const secret = deps.sealer.open(row.summary_secret, summarySecretContext(anchorId))
  return deps.anchorServer(row.api_url, secret)
}
