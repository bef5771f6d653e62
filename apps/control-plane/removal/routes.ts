import * as contract from '@windlass/contracts/internal/control-plane.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Deps } from '../deps.ts'
import { acceptRemoval, whatIsLeft } from './accept.ts'
import { findExport } from './records.ts'

export function removalRoutes(on: On, deps: Deps): void {
  on(contract.countOpenTransfers).serve(({ params }) => whatIsLeft(deps, params.anchorId))
  on(contract.acceptRemoval).serve(async ({ params, body }) => {
    await acceptRemoval(deps, params.anchorId, body)
    return { ok: true }
  })
  on(contract.readExport).serve(({ params, reply }) => readExport(deps, params.anchorId, reply))
}

/** The bytes of an anchor's export. Throws `removal-not-found` where there is none. */
async function readExport(deps: Deps, anchorId: string, reply: FastifyReply): Promise<Readable> {
  const found = await findExport(deps.database.db, anchorId)
  if (!found) throw new Problem('removal-not-found', 'There is no export of this anchor.')
  const path = join(deps.config.anchors.exportsFolder, found.file)
  const handle = await open(path, 'r').catch(cause => {
    throw new Problem('removal-not-found', "The export's file is missing.", { cause })
  })
  await handle.close()
  void reply.header('content-type', 'application/gzip').header('content-length', String(found.bytes))
  return createReadStream(path)
}
