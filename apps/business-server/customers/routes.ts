import { receiveKycWebhook } from '@windlass/contracts/kyc.ts'
import { serveMockPages } from '@windlass/kyc-providers/mock/page.ts'
import type { Server } from '@windlass/service/server.ts'
import { MOCK_PAGES } from '../config.ts'
import { receiveWebhook } from './receive-webhook.ts'
import type { Deps } from '../deps.ts'

export function serveCustomers({ on, app }: Server, deps: Deps): void {
  on(receiveKycWebhook).serve(async ({ raw, request }) => {
    await receiveWebhook(deps, raw, request.headers)
    return { ok: true }
  })
  if (deps.kyc?.provider.name === 'mock') serveMockPages(app, deps.database.pool, MOCK_PAGES)
}
