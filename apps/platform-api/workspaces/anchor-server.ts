import type { Client } from '@windlass/client/client.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { requireMember } from '../anchors/access.ts'
import type { AnchorRow } from '../anchors/anchors.ts'
import { proofKeyOf } from '../anchors/proof-keys.ts'
import { summarySecretContext } from '../anchors/registry.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'

/** Waits for an answer of an anchor's server; its problems become this service's. */
export const fromAnchor = passProblems('The anchor')

/**
 * A file of an anchor's server as a download. The server names it and nothing else: what a browser does with it is not for
 * it to say. Only a part of it is in memory at a time.
 *
 * @param name where the server gives none
 */
export function passFile(reply: FastifyReply, file: Response, name: string): Readable {
  const named = /^attachment; filename="([\w.-]{1,200})"$/.exec(file.headers.get('content-disposition') ?? '')
  void reply
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${named?.[1] ?? name}"`)
    .header('cache-control', 'no-store')
  return Readable.fromWeb(file.body as ReadableStream)
}

/** Throws `anchor-not-found`, and `dependency-unavailable` for an anchor whose servers do not run. */
export async function anchorServerOf(deps: Deps, userId: string, anchorId: string): Promise<Client> {
  return clientOfAnchor(deps, (await requireMember(deps.database.db, userId, anchorId)).anchor)
}

/** An anchor's business server, for the platform. Throws `dependency-unavailable` where its servers do not run. */
export function clientOfAnchor(deps: Deps, anchor: AnchorRow): Client {
  const { id, status, api_url: apiUrl, summary_secret: sealed } = anchor
  const key = proofKeyOf(deps.sealer, anchor)
  if (status !== 'active' || !apiUrl || !sealed || !key) {
    throw unavailable(`The anchor (${status})`)
  }
  const secret = deps.sealer.open(sealed, summarySecretContext(id))
  return deps.anchorServer(apiUrl, secret, key)
}
