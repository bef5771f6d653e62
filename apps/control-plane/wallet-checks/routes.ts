import { requestWalletChecks } from '@windlass/contracts/wallet-checks.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { requestCheck } from './request-check.ts'
import type { DailyChecks } from './daily.ts'

export function walletCheckRoutes(on: On, deps: Deps, checks: Pick<DailyChecks, 'wake'>): void {
  on(requestWalletChecks).serve(async ({ params }) => {
    await requestCheck(deps, params.anchorId)
    void checks.wake()
    return { ok: true }
  })
}
