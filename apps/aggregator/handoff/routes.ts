import * as contracts from '@windlass/contracts/handoff.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { startTransaction } from './start-transaction.ts'

export function serveHandoff(on: On, deps: Deps): void {
  on(contracts.startTransaction).serve(({ body }) => startTransaction(deps, body))
}
