import { getAnchorSummary } from '@windlass/contracts/business-server.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { summarize } from './summarize.ts'

export function serveTreasury(on: On, deps: Deps): void {
  on(getAnchorSummary).serve(() => summarize(deps))
}
