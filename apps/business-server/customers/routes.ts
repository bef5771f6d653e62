import { receiveKycWebhook } from '@windlass/contracts/kyc.ts'
import type { On } from '@windlass/service/server.ts'
import { receiveWebhook } from './receive-webhook.ts'
import type { Deps } from '../deps.ts'

export function serveCustomers(on: On, deps: Deps): void {
  on(receiveKycWebhook).serve(async ({ raw, request }) => {
    await receiveWebhook(deps, raw, request.headers)
    return { ok: true }
  })
}
