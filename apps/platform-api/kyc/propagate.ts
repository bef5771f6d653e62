import type { propagateKyc } from '@windlass/contracts/internal.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { statusOf } from '@windlass/kyc-providers/provider.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { hasWithdrawn, requireVisit } from '../visits/visits.ts'
import { holdersOf } from '../wallets/wallets.ts'
import { acceptReport, TOLERANCE_MS } from './report.ts'
import { centralStatus, decide, type Decision } from './status.ts'

type Propagation = BodyOf<typeof propagateKyc>

/**
 * Records a status. The platform's own secret is trusted. An anchor's secret changes only customers who came to that
 * anchor, and neither makes anyone ACCEPTED nor changes an ACCEPTED customer without the provider's own report, which
 * is verified here.
 *
 * Throws `customer-not-found`, `validation-failed`, `kyc-evidence-needed`, `webhook-signature-invalid`.
 */
export async function propagate(deps: Deps, principal: Principals['internal'], given: Propagation) {
  const { db } = deps.database
  const customerId = await customerOf(deps, given)
  const status = statusOf(given.status)
  if (!status) throw invalid('status', 'must be NEEDS_INFO, PROCESSING, ACCEPTED (or APPROVED) or REJECTED')
  const now = deps.clock.now()
  if (principal.kind === 'anchor') {
    // A report of long ago would be answered with the present status.
    if (await hasWithdrawn(db, principal.anchorId, customerId))
      throw new Problem('customer-not-found', 'No customer with this id came to your anchor.')
    if (given.evidence) {
      await verifyEvidence(deps, principal.anchorId, given.evidence, customerId, status, now)
      return { ok: true, customerId, status: (await centralStatus(db, customerId)).status }
    }
    if (status === 'ACCEPTED') throw evidenceNeeded()
    await requireVisit(db, principal, customerId)
    if ((await centralStatus(db, customerId)).status === 'ACCEPTED') throw evidenceNeeded()
  }
  const decision = decisionOf(given, customerId, status, now)
  const [actor, ordered] =
    principal.kind === 'anchor'
      ? [`anchor:${principal.anchorId}`, { ...decision, completedAt: null }]
      : ['service:platform', decision]
  const recorded = await db.transaction().execute(tx => decide(tx, ordered, actor, now))
  return { ok: true, customerId, status: recorded }
}

const evidenceNeeded = () =>
  new Problem('kyc-evidence-needed', "Send the provider's raw body and headers as evidence.")

/** By id, or by a wallet that the customer has proven: a link alone identifies nobody. */
async function customerOf({ database: { db } }: Deps, given: Propagation): Promise<string> {
  if (given.customerId !== undefined) {
    const customer = await findCustomer(db, given.customerId)
    if (!customer) throw new Problem('customer-not-found', 'There is no customer with this id.')
    return customer.id
  }
  if (given.walletAddress === undefined) throw invalid('customerId', 'or walletAddress is needed')
  const [owner] = await holdersOf(db, given.walletAddress)
  if (!owner?.walletVerified) throw new Problem('customer-not-found', 'No customer has proven this wallet.')
  return owner.customerId
}

function decisionOf(given: Propagation, customerId: string, status: KycStatus, now: Date): Decision {
  const completedAt = given.completedAt ? new Date(given.completedAt) : now
  // A time in the future would block every later decision.
  if (completedAt.getTime() > now.getTime() + TOLERANCE_MS) throw invalid('completedAt', 'is in the future')
  return {
    customerId,
    status,
    provider: given.provider ?? null,
    sessionId: given.sessionId ?? null,
    completedAt,
  }
}

/** The anchor may deliver late: the signature is judged by its own time, and decisions are ordered by completedAt. */
async function verifyEvidence(
  deps: Deps,
  anchorId: string,
  evidence: NonNullable<Propagation['evidence']>,
  customerId: string,
  status: KycStatus,
  now: Date,
): Promise<void> {
  const { headers } = evidence
  const raw = Buffer.from(evidence.body, 'base64')
  const expected = { customerId, status }
  await acceptReport(deps, { raw, headers, anchorId, at: signedAt(headers, now), expected })
}

function signedAt(headers: Record<string, string>, now: Date): Date {
  const seconds = Number(headers['webhook-timestamp'])
  return Number.isSafeInteger(seconds) && seconds * 1000 <= now.getTime() ? new Date(seconds * 1000) : now
}
