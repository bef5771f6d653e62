import { setCustomerTier } from '@windlass/contracts/anchor/anchor-settings.ts'
import { addCustomerNote } from '@windlass/contracts/anchor/business-server.ts'
import { getCustomerOverview } from '@windlass/contracts/anchor/developer-api.ts'
import { receiveKycWebhook } from '@windlass/contracts/platform/kyc.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { signatureHeaders } from '@windlass/service/outbound/webhooks.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Deps } from '../../deps.ts'
import { decide } from './decide.ts'
import { addNote, customerOverview } from './overview.ts'
import { setTier } from './tiers.ts'

export function serveCustomers(on: On, deps: Deps): void {
  on(setCustomerTier).serve(({ params, body }) => setTier(deps, params.id, body))
  on(getCustomerOverview).serve(({ params }) => customerOverview(deps, params.id))
  on(addCustomerNote).serve(async ({ params, body }) => answer(201, await addNote(deps, params.id, body)))
  on(receiveKycWebhook).serve(async ({ raw, request }) => {
    await receiveWebhook(deps, raw, request.headers)
    return { ok: true }
  })
}

/**
 * Passes the provider's report to the platform, which alone can verify it, and records its decision. Throws
 * `webhook-signature-invalid`, `validation-failed`, `customer-not-found`, and `dependency-unavailable` where the
 * platform does not answer: the provider sends it again.
 */
async function receiveWebhook(deps: Deps, raw: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const { 'webhook-signature': standard, 'x-signature': plain } = signatureHeaders(headers)
  if (!standard && !plain) throw new Problem('webhook-signature-invalid', 'The webhook is not signed.')
  const report = await deps.customerRegistry.passReport(raw, headers)
  const changed = await deps.database.db.transaction().execute(tx =>
    decide(tx, deps.sealer, {
      centralId: report.customerId,
      status: report.status,
      provider: report.provider,
      sessionId: report.sessionId,
      completedAt: new Date(report.completedAt),
      heardAt: deps.clock.now(),
      verifiedName: report.verifiedName ?? null,
      identity: report.identity,
    }),
  )
  if (changed) deps.wake.emit('identified')
}
