import type { KycReport } from '@windlass/kyc-providers/provider.ts'
import { verifyWebhook, SignatureError, signatureHeaders, ReportError } from '@windlass/service/webhooks.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { Problem, unavailable } from '@windlass/service/problem.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { decide } from './decide.ts'
import { CENTRE, reportKey } from './report-decisions.ts'
import type { Deps } from '../deps.ts'

/**
 * Takes a provider's report: signature over the raw bytes first, then once per delivery the local status, and a
 * message to the centre with the report as evidence. Throws `webhook-signature-invalid`, `validation-failed`,
 * `customer-not-found` (only where the centre does not know the customer), `dependency-unavailable`.
 */
export async function receiveWebhook(deps: Deps, raw: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const { kyc } = deps
  if (!kyc) throw unavailable('Identity verification')
  const { deliveryKey } = signed(deps, raw, headers)
  const report = understood(() => kyc.provider.read(raw))
  await demandKnown(deps, report.customerId)
  const evidence = { body: raw.toString('base64'), headers: signatureHeaders(headers) }
  const moved = await deps.database.db.transaction().execute(async tx => {
    const first = await tx
      .insertInto('kyc_deliveries')
      .values({ delivery_key: deliveryKey })
      .onConflict(conflict => conflict.column('delivery_key').doNothing())
      .executeTakeFirst()
    if (first.numInsertedOrUpdatedRows === 0n) return false
    await decide(tx, {
      ...report,
      centralId: report.customerId,
      provider: kyc.provider.name,
      heardAt: deps.clock.now(),
    })
    const decision = {
      customerId: report.customerId,
      status: report.status,
      provider: kyc.provider.name,
      sessionId: report.sessionId,
      completedAt: report.completedAt.toISOString(),
      evidence,
    }
    // Sealed: the evidence is the provider's own report of a person.
    await enqueue(tx, CENTRE, reportKey(report.customerId, deliveryKey), decision, deps.sealer)
    return true
  })
  if (moved) deps.wake.emit('identified')
}

function signed({ kyc, clock }: Deps, raw: Buffer, headers: IncomingHttpHeaders) {
  try {
    return verifyWebhook(raw, headers, kyc?.settings.webhookSecrets ?? [], clock.now())
  } catch (error) {
    if (error instanceof SignatureError) throw new Problem('webhook-signature-invalid', `${error.message}.`)
    throw error
  }
}

function understood(read: () => KycReport): KycReport {
  try {
    return read()
  } catch (error) {
    if (error instanceof ReportError) throw new Problem('validation-failed', `${error.message}.`)
    throw error
  }
}

/** A customer of ours, or one the centre knows. */
async function demandKnown({ database, customerRegistry }: Deps, centralId: string): Promise<void> {
  const ours = await database.db
    .selectFrom('customers')
    .select('id')
    .where('central_id', '=', centralId)
    .limit(1)
    .executeTakeFirst()
  if (ours) return
  const wallets = await customerRegistry.walletsOf(centralId)
  if (wallets === null) throw new Problem('customer-not-found', 'The platform does not know this customer.')
}
