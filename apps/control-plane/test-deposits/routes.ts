import {
  ensureTestWallet,
  getControlPlaneTestDeposit,
  requestTestDeposit,
} from '@windlass/contracts/platform/test-deposits.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { findDeposit, requestDeposit, testWallet } from './records.ts'

export function testDepositRoutes(on: On, deps: Deps): void {
  on(ensureTestWallet).serve(async ({ params }) => ({
    account: (await testWallet(deps, params.anchorId)).publicKey,
  }))
  on(requestTestDeposit).serve(({ params, body }) => requestDeposit(deps, params.anchorId, body.rail))
  on(getControlPlaneTestDeposit).serve(async ({ params }) => ({
    latest: await findDeposit(deps.database.db, params.anchorId),
  }))
}
