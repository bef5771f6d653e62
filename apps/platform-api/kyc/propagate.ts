import type { propagateKyc } from '@windlass/contracts/internal/internal.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { statusOf } from '@windlass/kyc-providers/provider.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { hasWithdrawn } from '../visits/visits.ts'
import { holdersOf } from '../wallets/wallets.ts'
import { acceptReport, requireSignature, TOLERANCE_MS } from './report.ts'
import { centralStatus, decide, type Decision } from './status.ts'

type Propagation = BodyOf<typeof propagateKyc>

/**
 * Records a status. The platform's own secret is trusted. An anchor's says nothing by itself: what it thinks of a customer
 * stays at that anchor, and only the provider's own report, which is verified here, counts for all.
 *
 * Throws `customer-not-found`, `validation-failed`, `kyc-evidence-needed`, `webhook-signature-invalid`.
 */
export async function propagate(deps: Deps, principal: Principals['internal'], given: Propagation) {
  if (principal.kind === 'anchor') return propagateReport(deps, principal.anchorId, given)
  const status = requireStatus(given.status)
  const customerId = await customerOf(deps, given)
  const now = deps.clock.now()
  const decision = decisionOf(given, customerId, status, now)
  const recorded = await deps.database.db
    .transaction()
    .execute(tx => decide(tx, decision, 'service:platform', now))
  return { ok: true, customerId, status: recorded }
}

/** The signature comes first: before it, the answer says nothing about anyone. */
async function propagateReport(deps: Deps, anchorId: string, given: Propagation) {
  const { db } = deps.database
  const status = requireStatus(given.status)
  if (!given.evidence) throw evidenceNeeded()
  const now = deps.clock.now()
  const { headers } = given.evidence
  const raw = Buffer.from(given.evidence.body, 'base64')
  // The anchor may deliver late: the signature is judged by its own time, and decisions are ordered by completedAt.
  const at = signedAt(headers, now)
  requireSignature(deps, raw, headers, at)
  const customerId = await customerOf(deps, given)
  // A report of long ago would be answered with the present status.
  if (await hasWithdrawn(db, anchorId, customerId))
    throw new Problem('customer-not-found', 'No customer with this id came to your anchor.')
  await acceptReport(deps, { raw, headers, anchorId, at, expected: { customerId, status } })
  return { ok: true, customerId, status: (await centralStatus(db, customerId)).status }
}

function requireStatus(word: string): KycStatus {
  const status = statusOf(word)
  if (status) return status
  throw invalid('status', 'must be NEEDS_INFO, PROCESSING, ACCEPTED (or APPROVED) or REJECTED')
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

function signedAt(headers: Record<string, string>, now: Date): Date {
  const seconds = Number(headers['webhook-timestamp'])
  return Number.isSafeInteger(seconds) && seconds * 1000 <= now.getTime() ? new Date(seconds * 1000) : now
}
