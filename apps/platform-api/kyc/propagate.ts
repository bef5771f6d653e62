import type { KycEvidence } from '@windlass/contracts/internal.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { statusOf } from '@windlass/kyc-providers/provider.ts'
import { Problem, invalid, unavailable } from '@windlass/service/problem.ts'
import type { Static } from 'typebox'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from '../wallets/wallets.ts'
import { type Decision, centralStatus, decide } from './status.ts'
import { requireProvider, requireSignature, readReport } from './webhook.ts'

export interface Propagation {
  customerId?: string
  walletAddress?: string
  status: string
  provider?: string
  sessionId?: string
  completedAt?: string
  evidence?: Static<typeof KycEvidence>
}

/**
 * Takes a status over into the centre. The platform's own secret is believed; with an anchor's secret nobody becomes
 * ACCEPTED, and nobody who is loses it, without the provider's own report, which is verified here again.
 *
 * Throws `customer-not-found`, `validation-failed`, `kyc-evidence-needed`, `webhook-signature-invalid`.
 */
export async function propagate(deps: Deps, principal: Principals['internal'], said: Propagation) {
  const { db } = deps.database
  const customerId = await customerOf(deps, said)
  const stated = statusOf(said.status)
  if (!stated) throw invalid('status', 'must be NEEDS_INFO, PROCESSING, ACCEPTED (or APPROVED) or REJECTED')
  const now = deps.clock.now()
  const decision =
    principal.kind === 'platform'
      ? believed(said, customerId, stated, now)
      : await evident(deps, said, customerId, stated, now)
  const actor = principal.kind === 'platform' ? 'service:platform' : `anchor:${principal.anchorId}`
  const status = await db.transaction().execute(tx => decide(tx, decision, actor, now))
  return { ok: true, customerId, status }
}

async function customerOf({ database: { db }, config }: Deps, said: Propagation): Promise<string> {
  if (said.customerId !== undefined) {
    const customer = await findCustomer(db, said.customerId)
    if (!customer) throw new Problem('customer-not-found', 'There is no customer with this id.')
    return customer.id
  }
  if (said.walletAddress === undefined) throw invalid('customerId', 'or walletAddress is needed')
  return (await ownerOf(db, said.walletAddress, config.deployment.mainnet)).customerId
}

function believed(said: Propagation, customerId: string, status: KycStatus, now: Date): Decision {
  const completedAt = said.completedAt ? new Date(said.completedAt) : now
  // A time that lies ahead would shut out every later decision.
  if (completedAt.getTime() > now.getTime() + TOLERANCE_MS) throw invalid('completedAt', 'lies in the future')
  return {
    customerId,
    status,
    provider: said.provider ?? null,
    sessionId: said.sessionId ?? null,
    completedAt,
  }
}

const TOLERANCE_MS = 5 * 60_000

async function evident(
  deps: Deps,
  said: Propagation,
  customerId: string,
  status: KycStatus,
  now: Date,
): Promise<Decision> {
  if (!said.evidence) {
    const present = await centralStatus(deps.database.db, customerId)
    if (status === 'ACCEPTED' || present.status === 'ACCEPTED') {
      throw new Problem('kyc-evidence-needed', "Send the provider's raw body and headers as evidence.")
    }
    return { ...believed(said, customerId, status, now), completedAt: null }
  }
  const { provider } = requireProvider(deps)
  const raw = Buffer.from(said.evidence.body, 'base64')
  // The anchor may deliver late: the report's own time stands for the present, and its completedAt orders it.
  requireSignature(deps, raw, said.evidence.headers, signedAt(said.evidence.headers, now))
  const report = readReport(deps, raw)
  if (report.customerId !== customerId) throw invalid('evidence', 'is about another customer')
  if (report.status !== status) throw invalid('evidence', 'says another status')
  if (deps.config.deployment.mainnet) await confirmAtProvider(deps, report.sessionId, status)
  return {
    ...believed({ ...said, completedAt: report.completedAt.toISOString() }, customerId, status, now),
    provider: provider.name,
    sessionId: report.sessionId,
  }
}

function signedAt(headers: Record<string, string>, now: Date): Date {
  const seconds = Number(headers['webhook-timestamp'])
  return Number.isSafeInteger(seconds) && seconds * 1000 <= now.getTime() ? new Date(seconds * 1000) : now
}

async function confirmAtProvider(deps: Deps, sessionId: string, status: KycStatus): Promise<void> {
  const { provider } = requireProvider(deps)
  const confirmed = await provider.confirm(sessionId).catch((error: unknown) => {
    throw unavailable('The identity provider', error)
  })
  if (confirmed !== status)
    throw new Problem('kyc-evidence-needed', 'The provider does not confirm this status.')
}
