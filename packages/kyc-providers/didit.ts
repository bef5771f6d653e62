import { textWithin } from '@windlass/service/outbound/bounded-text.ts'
import { ReportError } from '@windlass/service/outbound/webhooks.ts'
import { type KycProvider, type KycReport, type Session, type SessionRequest, statusOf } from './provider.ts'
import { identityOf, nameOf, parseDocument, readReport, record, report } from './read-report.ts'

interface DiditOptions {
  apiUrl: string
  apiKey: string
  workflowId: string
}

const TIMEOUT_MS = 10_000
const MOST_BYTES = 2 ** 20

/** Didit's sessions API, version 3. Its webhooks are signed with `x-signature`. */
export function createDidit(options: DiditOptions): KycProvider {
  return {
    name: 'didit',
    start: request => start(options, request),
    read: readDidit,
    confirm: async sessionId => {
      const answer = await ask(options, `/v3/session/${encodeURIComponent(sessionId)}/decision/`)
      const status = answer && statusOf(String(answer.status ?? ''))
      if (!status) return null
      return { customerId: String(answer.vendor_data ?? ''), status, ...personIn(answer) }
    },
  }
}

async function start(options: DiditOptions, request: SessionRequest): Promise<Session> {
  const answer = await ask(options, '/v3/session/', {
    workflow_id: options.workflowId,
    vendor_data: request.customerId,
    ...(request.returnUrl ? { callback: request.returnUrl } : {}),
  })
  const { session_id: sessionId, url } = answer ?? {}
  if (typeof sessionId !== 'string' || typeof url !== 'string' || !URL.canParse(url)) {
    throw new Error('Didit answered without a session')
  }
  return { sessionId, url }
}

/** Didit's own form (`session_id`, `vendor_data`, `status`, `timestamp` in seconds, `decision`), or the specified one. */
function readDidit(body: Buffer): KycReport {
  const document = record(parseDocument(body), 'the body')
  if ('event' in document) return readReport(document)
  const { session_id, vendor_data, status, timestamp, created_at, decision } = document
  const seconds = Number(timestamp ?? created_at)
  if (!Number.isSafeInteger(seconds)) throw new ReportError('timestamp must be a time in seconds')
  return {
    ...report(session_id, vendor_data, status, new Date(seconds * 1000).toISOString()),
    ...personIn(decision),
  }
}

/** Who is on the document of a decision; earlier versions of the API have `id_verification`, one object. */
function personIn(decision: unknown): Pick<KycReport, 'verifiedName' | 'identity'> {
  const { id_verifications, id_verification } = (decision ?? {}) as Record<string, unknown>
  const documents = Array.isArray(id_verifications) ? id_verifications : [id_verification]
  for (const document of documents) {
    const { full_name, first_name, last_name, status, ...said } = (document ?? {}) as Record<string, unknown>
    const parts = [first_name, last_name].filter(part => typeof part === 'string')
    const verifiedName = nameOf(full_name) ?? nameOf(parts.join(' '))
    if (verifiedName === null || status === 'Declined') continue
    const { document_type: type, issuing_state: country, document_number: number } = said
    return { verifiedName, identity: identityOf({ type, country, number, birthDate: said.date_of_birth }) }
  }
  return { verifiedName: null, identity: null }
}

async function ask(
  { apiUrl, apiKey }: DiditOptions,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown> | null> {
  const response = await fetch(apiUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': apiKey, accept: 'application/json', 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await textWithin(response.body, MOST_BYTES)
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`Didit answered ${response.status}`)
  return record(JSON.parse(text), 'the answer')
}
