import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'

export interface SessionRequest {
  /** The customer's central id: the provider's report names it. */
  customerId: string
  /** Where the provider sends the customer back to. */
  returnUrl?: string
}

export interface Session {
  sessionId: string
  /** The provider's hosted page. */
  url: string
}

/** What a provider's webhook says, whatever its own words. */
export interface KycReport {
  sessionId: string
  customerId: string
  status: KycStatus
  /** Time of the provider's decision; reports are ordered by it. */
  completedAt: Date
  /** The name on the document; null: the report has none. */
  verifiedName: string | null
  /** What tells the person apart; null: the report has none of it. */
  identity: VerifiedIdentity | null
}

/** What the provider read on an identity document. */
export interface VerifiedIdentity {
  /** Null: the number is not one that tells documents apart. */
  document: { type: string; country: string; number: string } | null
  /** `YYYY-MM-DD`. */
  birthDate: string | null
}

/** What a provider answers about a session. */
export type ConfirmedSession = Pick<KycReport, 'customerId' | 'status' | 'verifiedName' | 'identity'>

/** A provider of identity verification. */
export interface KycProvider {
  readonly name: 'mock' | 'didit'
  /** Opens a session at the provider's hosted page. Throws where the provider does not answer. */
  start(request: SessionRequest): Promise<Session>
  /** Reads a webhook's body whose signature has been checked. Throws `ReportError`. */
  read(body: Buffer): KycReport
  /** Asks the provider itself about a session; null where it has none. Throws where it does not answer. */
  confirm(sessionId: string): Promise<ConfirmedSession | null>
}

const STATUSES: Readonly<Record<string, KycStatus>> = {
  APPROVED: 'ACCEPTED',
  ACCEPTED: 'ACCEPTED',
  DECLINED: 'REJECTED',
  REJECTED: 'REJECTED',
  'IN REVIEW': 'PROCESSING',
  'IN PROGRESS': 'PROCESSING',
  PROCESSING: 'PROCESSING',
  'NOT STARTED': 'NEEDS_INFO',
  ABANDONED: 'NEEDS_INFO',
  EXPIRED: 'NEEDS_INFO',
  // Didit: a document of an approved session has expired, or its check has.
  'KYC EXPIRED': 'NEEDS_INFO',
  NEEDS_INFO: 'NEEDS_INFO',
}

/** A provider's word for a status in SEP-12's; null for one we do not know. */
export function statusOf(word: string): KycStatus | null {
  const key = word.trim().toUpperCase()
  return STATUSES[key] ?? STATUSES[key.replaceAll('_', ' ')] ?? null
}
