import Type from 'typebox'
import { endpoint } from '../endpoint.ts'
import { relayed } from '../relayed.ts'

/**
 * `journal.csv`, `journal.json`: entries with their lines. `fees.csv`: what was earned, by day, rail and direction.
 * `rail.camt.053.xml`, `rail.ofx`: money at one rail, as a bank would state it. `statement.pdf`: balances, fees and
 * how many differences are open, to print.
 */
export const exportNames = [
  'journal.csv',
  'journal.json',
  'fees.csv',
  'rail.camt.053.xml',
  'rail.ofx',
  'statement.pdf',
] as const
export type ExportName = (typeof exportNames)[number]

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const Name = Type.Enum(exportNames)
/** Days in UTC, both included; at most 400. */
export const ExportQuery = Type.Object({
  from: Day,
  to: Day,
  /** Required by `rail.camt.053.xml` and `rail.ofx`. */
  rail: Type.Optional(Type.String({ maxLength: 40 })),
})

export const downloadRecords = endpoint('GET /api/v1/exports/:name', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Records of a period as a file: journal, fees, a statement of a rail, or a statement to print',
  params: Type.Object({ name: Name }),
  query: ExportQuery,
  response: { 200: Type.Unknown() },
  problems: ['not-found'],
  file: 'application/octet-stream',
})

/** The whole journal leaves with it, so a recent confirmation is needed. Each download is in the audit log. */
export const downloadWorkspaceRecords = relayed(
  'GET /api/v1/anchors/:anchorId/exports/:name',
  downloadRecords,
  { confirm: true },
)
