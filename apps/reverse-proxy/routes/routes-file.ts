import { ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { compileCheck } from '@windlass/service/http/validation.ts'
import type { FastifyBaseLogger } from 'fastify'
import { readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import Type, { type Static } from 'typebox'
import type { RouteTable } from './route-table.ts'

const Kept = Type.Object({ routes: Type.Array(ProxyRoute) })
const check = compileCheck(Kept, 'body')

/**
 * The routes in the file; none where there is no file. One that cannot be read is put aside: the service that set the
 * routes sets them again.
 */
export async function readRoutes(file: string, logger: FastifyBaseLogger): Promise<ProxyRoute[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return []
    throw error
  }
  try {
    const kept: unknown = JSON.parse(text)
    check(kept)
    return (kept as Static<typeof Kept>).routes
  } catch (error) {
    logger.error({ err: error, file }, 'the routes cannot be read and are put aside')
    await rename(file, `${file}.unreadable`)
    return []
  }
}

/** Writes the routes so that a crash or a full disk leaves either the old file or the new one. */
export function writeRoutes(file: string, routes: ProxyRoute[]): void {
  makePrivateFolder(dirname(file))
  writeWhole(file, `${JSON.stringify({ routes }, null, 2)}\n`)
}

/** Reads the file again where it was written since: while one proxy takes over from another, both may be given routes. */
export function followRoutes(
  file: string,
  table: RouteTable,
  logger: FastifyBaseLogger,
): () => Promise<void> {
  const stamp = async () => {
    const found = await stat(file).catch(() => null)
    return found && `${found.ino} ${found.mtimeMs}`
  }
  let known: string | null | undefined
  return async () => {
    const now = await stamp()
    if (now === known) return
    const routes = await readRoutes(file, logger)
    // Written by us meanwhile: the table is newer than what was read.
    if ((await stamp()) !== now) return
    table.keep(routes)
    known = now
  }
}
