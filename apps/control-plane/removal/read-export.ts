import { Problem } from '@windlass/service/problem.ts'
import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Deps } from '../deps.ts'

/** The bytes of an anchor's export. Throws `removal-not-found` where there is none. */
export async function readExport(deps: Deps, anchorId: string, reply: FastifyReply): Promise<Readable> {
  const row = await deps.database.db
    .selectFrom('removals')
    .select('export')
    .where('anchor_id', '=', anchorId)
    .where('export', 'is not', null)
    .executeTakeFirst()
  if (!row?.export) throw new Problem('removal-not-found', 'There is no export of this anchor.')
  const path = join(deps.config.anchors.exportsFolder, row.export.file)
  const handle = await open(path, 'r').catch(cause => {
    throw new Problem('removal-not-found', 'The file of the export is not there any more.', { cause })
  })
  await handle.close()
  void reply.header('content-type', 'application/gzip').header('content-length', String(row.export.bytes))
  return createReadStream(path)
}
