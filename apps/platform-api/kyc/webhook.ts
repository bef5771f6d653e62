import type { KycReport } from '@windlass/kyc-providers/provider.ts'
import { ReportError, SignatureError, verifyWebhook } from '@windlass/service/webhooks.ts'
import { Problem, invalid, unavailable } from '@windlass/service/problem.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { decide } from './status.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Takes the provider's report of a session that was started here. The signature is checked over the raw bytes before
 * anything is parsed. A repeat gets the same answer and changes nothing.
 *
 * Throws `webhook-signature-invalid`, `validation-failed`, `customer-not-found`.
 */
export async function receiveWebhook(deps: Deps, raw: Buffer, headers: Headers): Promise<void> {
  const now = deps.clock.now()
  const deliveryKey = requireSignature(deps, raw, headers, now)
  const report = readReport(deps, raw)
  await deps.database.db.transaction().execute(async tx => {
    const first = await tx
      .insertInto('kyc_deliveries')
      .values({ delivery_key: deliveryKey })
      .onConflict(conflict => conflict.doNothing())
      .returning('delivery_key')
      .executeTakeFirst()
    if (!first) return
    if (!(await findCustomer(tx, report.customerId))) {
      throw new Problem('customer-not-found', 'There is no customer with this id.')
    }
    const { provider } = requireProvider(deps)
    await decide(tx, { ...report, provider: provider.name }, `provider:${provider.name}`, now)
  })
}

export function requireProvider(deps: Deps) {
  if (!deps.kyc) throw unavailable('Identity verification (KYC_PROVIDER is not set; it)')
  return deps.kyc
}

/** Returns the key that identifies repeats. Throws `webhook-signature-invalid`. */
export function requireSignature(deps: Deps, raw: Buffer, headers: Headers, now: Date): string {
  try {
    return verifyWebhook(raw, headers, requireProvider(deps).webhookSecrets, now).deliveryKey
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    throw new Problem('webhook-signature-invalid', `Refused as tampered: ${error.message}.`)
  }
}

/** Throws `validation-failed` for a signed report that cannot be understood. */
export function readReport(deps: Deps, raw: Buffer): KycReport {
  try {
    return requireProvider(deps).provider.read(raw)
  } catch (error) {
    throw error instanceof ReportError ? invalid('body', `cannot be understood: ${error.message}`) : error
  }
}
