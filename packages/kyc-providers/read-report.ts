import { ReportError } from '@windlass/service/outbound/webhooks.ts'
import { statusOf, type KycReport, type VerifiedIdentity } from './provider.ts'

/**
 * The report that the interface specifies: `{event:"session.completed", data:{sessionId, status, customerId,
 * completedAt}}`. Throws {@link ReportError} naming what is wrong.
 */
export function readReport(document: unknown): KycReport {
  const { event, data } = record(document, 'the body')
  if (event !== 'session.completed') throw new ReportError('event must be session.completed')
  const { sessionId, status, customerId, completedAt } = record(data, 'data')
  return report(sessionId, customerId, status, completedAt)
}

export function report(
  sessionId: unknown,
  customerId: unknown,
  status: unknown,
  completedAt: unknown,
): KycReport {
  const known = statusOf(text(status, 'data.status'))
  if (!known) throw new ReportError('data.status is not a known status')
  const at = new Date(text(completedAt, 'data.completedAt'))
  if (Number.isNaN(at.getTime())) throw new ReportError('data.completedAt must be an ISO 8601 time')
  return {
    sessionId: text(sessionId, 'data.sessionId'),
    customerId: text(customerId, 'data.customerId'),
    status: known,
    completedAt: at,
    verifiedName: null,
    identity: null,
  }
}

const MOST_LETTERS = 200

/** A name as it can be kept; null: there is none. */
export function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return null
  return value.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_LETTERS).toWellFormed() || null
}

const plain = (value: unknown): string =>
  typeof value === 'string' && value.length <= 200
    ? value
        .normalize('NFKD')
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
        .toUpperCase()
    : ''

/** Too short, or one character again and again: what a provider writes where it read no number. */
const MEANS_NOTHING = /^.{0,4}$|^(.)\1*$/u
const BIRTH_DATE = /^\d{4}-\d{2}-\d{2}$/

/** What tells a person apart, as it can be compared: however spaces, punctuation and case are written. */
export function identityOf(
  given: Record<'type' | 'country' | 'number' | 'birthDate', unknown>,
): VerifiedIdentity | null {
  const [type, country, number] = [plain(given.type), plain(given.country), plain(given.number)]
  const isWhole = type !== '' && country !== '' && !MEANS_NOTHING.test(number)
  const birthDate = String(given.birthDate ?? '')
  const identity = {
    document: isWhole ? { type, country, number } : null,
    birthDate: BIRTH_DATE.test(birthDate) ? birthDate : null,
  }
  return identity.document === null && identity.birthDate === null ? null : identity
}

export function parseDocument(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ReportError('the body is not JSON')
  }
}

export function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ReportError(`${name} must be an object`)
  }
  return value as Record<string, unknown>
}

function text(value: unknown, name: string): string {
  if (
    typeof value !== 'string' ||
    value === '' ||
    value.length > 200 ||
    value.includes('\0') ||
    !value.isWellFormed()
  ) {
    throw new ReportError(`${name} must be a text of at most 200 characters`)
  }
  return value
}
