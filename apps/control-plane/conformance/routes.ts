import { checkAnchorSoon } from '@windlass/contracts/conformance.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { checkSoon } from './check-soon.ts'
import type { DailyChecks } from './daily.ts'

export function conformanceRoutes(on: On, deps: Deps, checks: Pick<DailyChecks, 'wake'>): void {
  on(checkAnchorSoon).serve(async ({ params }) => {
    await checkSoon(deps, params.anchorId)
    void checks.wake()
    return { ok: true }
  })
}
