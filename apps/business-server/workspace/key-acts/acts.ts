import { downloadStatementFile } from '@windlass/contracts/anchor/bank-accounts.ts'
import * as bank from '@windlass/contracts/anchor/bank-files.ts'
import * as developer from '@windlass/contracts/anchor/developer-api.ts'
import type { AnswerOf, Endpoint, EndpointShape } from '@windlass/contracts/endpoint.ts'
import * as agreements from '@windlass/contracts/anchor/sending-anchors.ts'
import type { Call } from '@windlass/service/http/endpoint-route.ts'

type Details = Record<string, unknown>

/** What the audit log has of an act: what was asked, and of the answer what the question does not say. */
export interface AuditedAct {
  action: string
  asked(call: Call<EndpointShape>): Details
  answered?(answer: unknown): Details
}

const audited = <S extends EndpointShape>(
  endpoint: Endpoint<S>,
  action: string,
  asked: (call: Call<S>) => Details,
  answered?: (answer: NonNullable<AnswerOf<S>>) => Details,
): [Endpoint, AuditedAct] => [endpoint, { action, asked, answered } as unknown as AuditedAct]

/** What is asked by POST because it sends a file, and changes nothing. */
export const readings: ReadonlySet<Endpoint> = new Set<Endpoint>([bank.previewCsvStatement])

/** Everything that a key can change here, and files of banks that it reads, in the words that the platform uses for a person who does it. */
export const auditedActs: ReadonlyMap<Endpoint, AuditedAct> = new Map([
  audited(
    bank.uploadStatement,
    'bank-statement.uploaded',
    ({ params, query }) => ({ ...params, ...query }),
    ({ id, lines, newLines }) => ({ id, lines, newLines }),
  ),
  audited(
    bank.decideStatementLine,
    'statement-line.decided',
    ({ params, body }) => ({ ...params, ...body }),
    ({ amount, currency }) => ({ amount, currency }),
  ),
  audited(downloadStatementFile, 'bank-statement.downloaded', ({ params }) => ({ ...params })),
  audited(bank.setCsvColumns, 'csv-columns.changed', ({ params, body }) => ({ ...params, ...body })),
  audited(developer.resolveLedgerIncident, 'ledger-incident.resolved', ({ params, body }) => ({
    incidentId: params.id,
    ...body,
  })),
  audited(agreements.putSendingAnchor, 'sending-anchor.agreed', ({ params, body }) => ({
    ...params,
    ...body,
  })),
  audited(agreements.deleteSendingAnchor, 'sending-anchor.ended', ({ params }) => ({ ...params })),
  // Only an address' host: the rest may be a secret.
  audited(developer.createWebhookEndpoint, 'webhook-endpoint.added', ({ body: { url, events } }) => ({
    host: URL.parse(url)?.host ?? '',
    ...(events ? { events } : {}),
  })),
  audited(developer.deleteWebhookEndpoint, 'webhook-endpoint.removed', ({ params }) => ({ ...params })),
  audited(developer.replayWebhookDelivery, 'webhook-delivery.replayed', ({ params }) => ({ ...params })),
])
