import { requestWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { requestCheck } from './reports.ts'

export function walletCheckRoutes(on: On, deps: Deps): void {
  on(requestWalletChecks).serve(async ({ params }) => {
    await requestCheck(deps, params.anchorId)
    return { ok: true }
  })
}
