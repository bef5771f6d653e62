import Type, { type Static } from 'typebox'
import { Amount, Day, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed, signed } from '../relayed.ts'

const Lines = Type.Array(
  Type.Object({
    account: OneLine(60),
    /** `asset`, `CODE:ISSUER`, or a currency. */
    unit: OneLine(70),
    /** Negative: what leaves the account. */
    amount: Amount,
  }),
  { minItems: 1, maxItems: 20 },
)

const DOCUMENT_BYTES = 1024 * 1024
const BASE64 = Math.ceil(DOCUMENT_BYTES / 3) * 4

/** An entry for what no rule covers, which counts once a second person approves it. Its lines come to zero in every unit. */
export const NewManualEntry = Type.Object({
  /** Why, for those who read the books later. */
  text: Text(500),
  /** The day of its booking; absent: the day on which it is approved. In a period that is closed it counts after it. */
  bookedOn: Type.Optional(Day),
  lines: Lines,
  /** What it rests on, such as an invoice: at most 1 MB, in base64. */
  document: Type.Object({
    fileName: OneLine(120),
    data: Type.String({ minLength: 4, maxLength: BASE64, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  }),
})

export const ManualEntry = Type.Object({
  id: Type.String(),
  text: Type.String(),
  bookedOn: Nullable(Day),
  lines: Lines,
  document: Type.Object({
    fileName: Type.String(),
    /** The SHA-256 of its bytes, in hexadecimal. */
    sha256: Type.String(),
  }),
  /** `reversing`: that it is taken back waits for a second person. */
  status: Type.Enum(['waiting', 'done', 'rejected', 'reversing', 'reversed']),
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Time),
  /** Why it is taken back, and who asked for that and decided; null: nobody asked. */
  reversal: Nullable(
    Type.Object({
      reason: Type.String(),
      requestedBy: Type.String(),
      decidedBy: Nullable(Type.String()),
    }),
  ),
})
export type ManualEntry = Static<typeof ManualEntry>

const One = Type.Object({ id: Id })

export const listManualEntries = endpoint('GET /api/v1/journal/manual-entries', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Entries of the journal that people wrote, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(ManualEntry) },
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const requestManualEntryAs = endpoint('POST /admin/journal/manual-entries', {
  realm: 'anchor-admin',
  summary: 'Writes an entry of the journal, which a second person approves',
  body: signed(NewManualEntry),
  bodyLimit: BASE64 + 64 * 1024,
  response: { 201: ManualEntry },
  idempotent: 'replay',
})

export const reverseManualEntryAs = endpoint('POST /admin/journal/manual-entries/:id/reversal', {
  realm: 'anchor-admin',
  summary: 'Asks to take an entry back that people wrote, by its opposite, which a second person approves',
  params: One,
  body: signed(Type.Object({ reason: Text(500) })),
  response: { 200: ManualEntry },
  problems: ['not-found', 'action-not-possible'],
  idempotent: 'replay',
})

export const decideManualEntryAs = endpoint('POST /admin/journal/manual-entries/:id/decision', {
  realm: 'anchor-admin',
  summary: 'Approves or rejects an entry of the journal, or its reversal, that another person asked for',
  params: One,
  body: signed(Type.Object({ approve: Type.Boolean() })),
  response: { 200: ManualEntry },
  problems: ['action-not-found', 'second-person-needed'],
  idempotent: 'replay',
})

/** By POST, since it may have names: each download is recorded in the audit log. */
export const downloadManualDocumentAs = endpoint('POST /admin/journal/manual-entries/:id/document', {
  realm: 'anchor-admin',
  summary: 'The document of an entry that people wrote',
  params: One,
  response: { 200: Type.Unknown() },
  problems: ['not-found'],
  file: 'application/octet-stream',
})

export const listWorkspaceManualEntries = relayed(
  'GET /api/v1/anchors/:anchorId/journal/manual-entries',
  listManualEntries,
  {},
)

export const requestWorkspaceManualEntry = relayed(
  'POST /api/v1/anchors/:anchorId/journal/manual-entries',
  requestManualEntryAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: true },
)

export const reverseWorkspaceManualEntry = relayed(
  'POST /api/v1/anchors/:anchorId/journal/manual-entries/:id/reversal',
  reverseManualEntryAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: true },
)

/** Those who asked for it can reject it, not approve it. */
export const decideWorkspaceManualEntry = relayed(
  'POST /api/v1/anchors/:anchorId/journal/manual-entries/:id/decision',
  decideManualEntryAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' },
)

export const downloadWorkspaceManualDocument = relayed(
  'POST /api/v1/anchors/:anchorId/journal/manual-entries/:id/document',
  downloadManualDocumentAs,
  { area: 'finance', who: 'admin', confirm: true },
)
