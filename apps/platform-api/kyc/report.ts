import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { ConfirmedSession, KycReport } from '@windlass/kyc-providers/provider.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import { invalid, Problem, unavailable } from '@windlass/service/http/problem.ts'
import {
  ReportError,
  SignatureError,
  signatureHeaders,
  verifyWebhook,
} from '@windlass/service/outbound/webhooks.ts'
import { sql } from 'kysely'
import { findAnchor } from '../anchors/anchors.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { hasAccess, hasWithdrawn } from '../visits/visits.ts'
import { noteIdentity } from './same-person.ts'
import { decide } from './status.ts'
import { sealName } from './verified-name.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

export const FORWARD_TOPIC = 'forward-kyc-report'

/** How far the provider's clock may be ahead of ours. */
export const TOLERANCE_MS = 5 * 60_000

interface Delivery {
  raw: Buffer
  headers: Headers
  /** The anchor at which it arrived; null: at the platform itself. */
  anchorId: string | null
  /** The time by which the signature's timestamp is judged; by default now. */
  at?: Date
  /** What the report has to say. */
  expected?: Pick<KycReport, 'customerId' | 'status'>
}

/**
 * Verifies the provider's report and records its decision. The signature is checked over the raw bytes before anything
 * is parsed. A repeat returns the same and changes nothing. A report that arrives here for a session of an anchor is
 * forwarded to that anchor.
 *
 * Throws `webhook-signature-invalid`; `validation-failed` for a report that cannot be understood, is in the future or
 * does not fit its session; `customer-not-found`; on the public network also `kyc-evidence-needed`.
 */
export async function acceptReport(
  deps: Deps,
  { raw, headers, anchorId, at, expected }: Delivery,
): Promise<KycReport & { provider: string }> {
  const now = deps.clock.now()
  const deliveryKey = requireSignature(deps, raw, headers, at ?? now)
  const { provider } = requireProvider(deps)
  const report = readReport(deps, raw)
  if (expected && report.customerId !== expected.customerId)
    throw invalid('evidence', 'is about another customer')
  if (expected && report.status !== expected.status) throw invalid('evidence', 'has another status')
  if (report.completedAt.getTime() > now.getTime() + TOLERANCE_MS) {
    throw invalid('completedAt', 'is in the future')
  }
  const confirmed = mustConfirm(deps, report, anchorId)
    ? await confirmAtProvider(deps, report, anchorId)
    : report
  if (confirmed === null && anchorId !== null)
    throw new Problem('kyc-evidence-needed', 'The provider does not confirm this report.')
  // It is out of date: what the provider says now has a report of its own.
  if (confirmed === null) return { ...report, provider: provider.name }
  const person = report.status === 'ACCEPTED' ? await personIn(deps, confirmed) : NOBODY
  await deps.database.db.transaction().execute(async tx => {
    if (!(await findCustomer(tx, report.customerId))) {
      throw new Problem('customer-not-found', 'There is no customer with this id.')
    }
    const session = await requireFit(deps, tx, report, anchorId)
    const first = await tx
      .insertInto('kyc_deliveries')
      .values({ delivery_key: deliveryKey })
      .onConflict(conflict => conflict.doNothing())
      .returning('delivery_key')
      .executeTakeFirst()
    if (!first) return
    const forward = session?.anchor_id && anchorId === null ? session.anchor_id : null
    if (forward && !(await hasWithdrawn(tx, forward, report.customerId))) {
      const message = {
        anchorId: forward,
        customerId: report.customerId,
        body: raw.toString('base64'),
        headers: signatureHeaders(headers),
      }
      await enqueue(tx, FORWARD_TOPIC, deliveryKey, message, deps.sealer, forward)
    }
    const actor = anchorId === null ? `provider:${provider.name}` : `anchor:${anchorId}`
    const sealedName = sealName(deps.sealer, report.customerId, person.verifiedName)
    await decide(tx, { ...report, provider: provider.name, sealedName }, actor, now)
    await noteIdentity(tx, deps.sealer, { ...report, ...person, status: await lastOf(tx, report) })
  })
  return { ...report, provider: provider.name }
}

/**
 * The session of a report, which names its customer, and which only the anchor that started it may pass on. Reports of
 * sessions that were not started here are accepted on test networks only, where the signature is enough.
 */
async function requireFit(deps: Deps, tx: PlatformDb, report: KycReport, anchorId: string | null) {
  const session = await tx
    .selectFrom('kyc_sessions')
    .selectAll()
    .where('session_id', '=', report.sessionId)
    .executeTakeFirst()
  if (!session) {
    if (deps.config.deployment.mainnet) throw invalid('sessionId', 'is not a session that was started here')
    return null
  }
  if (session.customer_id !== report.customerId)
    throw invalid('customerId', 'is not the customer of the session')
  if (anchorId !== null && session.anchor_id !== anchorId)
    throw invalid('sessionId', 'is not a session of your anchor')
  return session
}

/** Records a report for its session, and returns the provider's last word of the session. */
async function lastOf(
  tx: PlatformDb,
  { sessionId, customerId, status, completedAt }: KycReport,
): Promise<KycStatus> {
  await tx
    .updateTable('kyc_sessions')
    .set({ status, completed_at: completedAt })
    .where('session_id', '=', sessionId)
    .where(eb => eb.or([eb('completed_at', 'is', null), eb('completed_at', '<', completedAt)]))
    .execute()
  const said = await tx
    .selectFrom('kyc_sessions')
    .select('status')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  if (said?.status) return said.status
  // One that was not started here: only what was decided by it is known.
  const decided = await tx
    .selectFrom('kyc_records')
    .select('status')
    .where('customer_id', '=', customerId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return decided?.status ?? status
}

/**
 * On the public network what an anchor passes on, and whatever decides: providers repeat webhooks, and one that is signed
 * again may bear the time of sending, so an approval could follow the refusal that came after it.
 */
const mustConfirm = ({ config }: Deps, { status }: KycReport, anchorId: string | null): boolean =>
  config.deployment.mainnet && (anchorId !== null || status === 'ACCEPTED' || status === 'REJECTED')

/** Asks the provider itself: the report may be old or stolen. Null: it says something else now. */
async function confirmAtProvider(
  deps: Deps,
  { sessionId, customerId, status }: KycReport,
  anchorId: string | null,
): Promise<(ConfirmedSession & { sessionId: string }) | null> {
  const { provider } = requireProvider(deps)
  const confirmed = await provider.confirm(sessionId).catch((error: unknown) => {
    throw unavailable('The identity provider', error)
  })
  if (confirmed?.status === status && confirmed.customerId === customerId) return { ...confirmed, sessionId }
  // Not decided there yet, or not shown: the provider repeats its own report.
  const isDecided = confirmed?.status === 'ACCEPTED' || confirmed?.status === 'REJECTED'
  if (anchorId === null && !isDecided) throw unavailable('The identity provider')
  return null
}

type Person = Pick<KycReport, 'verifiedName' | 'identity'>
const NOBODY: Person = { verifiedName: null, identity: null }

/** Who is in a report, or what the provider says; nobody where neither has it: it is asked again later. */
async function personIn(deps: Deps, confirmed: ConfirmedSession & { sessionId: string }): Promise<Person> {
  const { sessionId, customerId, verifiedName } = confirmed
  if (verifiedName !== null) return confirmed
  const session = await requireProvider(deps)
    .provider.confirm(sessionId)
    .catch(() => null)
  return session?.status === 'ACCEPTED' && session.customerId === customerId ? session : NOBODY
}

/**
 * Forwards a report to the anchor that started its session, as its webhook; the anchor passes it back to be verified. A
 * refusal is final: the anchor asks for the customer's status when it needs it. Nothing is forwarded of a customer who
 * withdrew the anchor's access, or deleted their account, since the report came.
 */
export function forwardReport({ database, logger }: Pick<Deps, 'database' | 'logger'>) {
  return async ({ payload, key }: OutboxMessage): Promise<void> => {
    const { anchorId, customerId, body, headers } = payload as {
      anchorId: string
      /** Absent: queued by an earlier version. */
      customerId?: string
      body: string
      headers: Record<string, string>
    }
    const anchor = await findAnchor(database.db, anchorId)
    if (anchor?.status !== 'active' || !anchor.api_url) return
    if (customerId !== undefined && !(await hasAccess(database.db, anchorId, customerId))) return
    const response = await fetch(`${anchor.api_url}/api/v1/customer/kyc/webhook`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(body, 'base64'),
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
    if (response.ok) return
    if (response.status >= 500) throw new Error(`the anchor answered ${response.status}`)
    logger.warn({ key, anchorId, status: response.status }, 'an anchor refused a forwarded KYC report')
  }
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
function readReport(deps: Deps, raw: Buffer): KycReport {
  try {
    return requireProvider(deps).provider.read(raw)
  } catch (error) {
    throw error instanceof ReportError ? invalid('body', `cannot be understood: ${error.message}`) : error
  }
}

/**
 * Forgets deliveries that nobody repeats any more. A report of that time that comes again is judged like a new one, and
 * an older decision never replaces a newer one.
 */
export async function pruneDeliveries(db: PlatformDb): Promise<void> {
  await sql`delete from kyc_deliveries where received_at < now() - interval '400 days'`.execute(db)
}
