import { readExport } from '@windlass/contracts/control-plane.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { showRemoval } from './remove.ts'

const controlPlane = asNeighbour('The control plane')
const WITHIN_MS = 30 * 60_000

/**
 * The export of an anchor's data as it comes from the control plane. Throws `anchor-not-found`, `removal-not-found`
 * (also while there is none yet), `dependency-unavailable`.
 */
export async function openExport(deps: Deps, anchorId: string, reply: FastifyReply): Promise<Readable> {
  const { export: made } = await showRemoval(deps.database.db, anchorId)
  if (!made) throw new Problem('removal-not-found', 'There is no export of this anchor yet.')
  const signal = AbortSignal.timeout(WITHIN_MS)
  const answer = await controlPlane(deps.controlPlane.open(readExport, { params: { anchorId }, signal }))
  void reply
    .header('content-type', 'application/gzip')
    .header('content-length', String(made.bytes))
    .header('content-disposition', `attachment; filename="${made.file}"`)
    .header('repr-digest', `sha-256=:${Buffer.from(made.sha256, 'hex').toString('base64')}:`)
    .header('cache-control', 'no-store')
  return Readable.fromWeb(answer.body as ReadableStream)
}
