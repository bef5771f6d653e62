import type { Client, Reply } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { linkCursor } from '@windlass/service/pages.ts'
import { platformProof } from '@windlass/service/platform-proof.ts'
import { unavailable } from '@windlass/service/problem.ts'
import { requireMember } from '../anchors/access.ts'
import type { AnchorRow } from '../anchors/anchors.ts'
import { summarySecretContext } from '../anchors/registry.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'

/** Waits for an answer of an anchor's server; its problems become this service's. */
export const fromAnchor = passProblems('The anchor')

/** One page of an anchor's list; its `Link` becomes one of this service. */
export async function page<T>(
  asked: Promise<Reply<T>>,
  request: Parameters<typeof linkCursor>[0],
  reply: Parameters<typeof linkCursor>[1],
): Promise<T> {
  const { body, headers } = await fromAnchor(asked)
  const cursor = nextCursor(headers)
  if (cursor) linkCursor(request, reply, cursor)
  return body
}

/** Throws `anchor-not-found`, and `dependency-unavailable` for an anchor whose servers do not run. */
export async function anchorServerOf(deps: Deps, userId: string, anchorId: string): Promise<Client> {
  return clientOfAnchor(deps, (await requireMember(deps.database.db, userId, anchorId)).anchor)
}

/** An anchor's business server, for the platform. Throws `dependency-unavailable` where its servers do not run. */
export function clientOfAnchor(deps: Deps, anchor: AnchorRow): Client {
  const { id, status, api_url: apiUrl, summary_secret: sealed, service_secret_hash: hash } = anchor
  if (status !== 'active' || !apiUrl || !sealed || !hash) {
    throw unavailable(`The anchor (${status})`)
  }
  const secret = deps.sealer.open(sealed, summarySecretContext(id))
  return deps.anchorServer(apiUrl, secret, platformProof(hash))
}
