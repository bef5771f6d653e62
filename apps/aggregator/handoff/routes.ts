import * as contracts from '@windlass/contracts/aggregator/handoff.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { HandoffDeps } from './deps.ts'
import { startTransaction } from './start-transaction.ts'

export function serveHandoff(on: On, deps: HandoffDeps): void {
  on(contracts.startTransaction).serve(({ body }) => startTransaction(deps, body))
}
