import * as contract from '@windlass/contracts/control-plane.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { acceptRemoval, openTransfersOf } from './accept.ts'
import { readExport } from './read-export.ts'

export function removalRoutes(on: On, deps: Deps): void {
  on(contract.countOpenTransfers).serve(async ({ params }) => ({
    open: await openTransfersOf(deps, params.anchorId),
  }))
  on(contract.acceptRemoval).serve(async ({ params, body }) => {
    await acceptRemoval(deps, params.anchorId, body)
    return { ok: true }
  })
  on(contract.readExport).serve(({ params, reply }) => readExport(deps, params.anchorId, reply))
}
