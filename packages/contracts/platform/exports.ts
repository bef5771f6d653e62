import Type from 'typebox'
import { Day, Id } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed } from '../relayed.ts'

/**
 * `journal.csv`, `journal.json`: entries with their lines. `fees.csv`: what was earned, by day, rail and direction.
 * `rail.camt.053.xml`, `rail.ofx`: money at one rail, as a bank would state it. `statement.pdf`: balances, fees and
 * how many differences are open, to print. `datev.csv`, `xero-journal.csv`, `quickbooks-journal.csv`: entries of one
 * currency for accounting programs. `xero-bank.csv`, `quickbooks-bank.csv`: bookings at one rail for them. `income.csv`: what
 * was earned and paid, by month and account. `volumes.csv`: transactions by month, country, asset, rail and direction.
 * `customer.csv`: what one customer exchanged. `carf.csv`: facts for DAC8 and CARF, by person, asset and direction.
 * `1099-da.csv`: facts of each disposal for form 1099-DA. API keys see no names, addresses and tax numbers in these two.
 */
export const exportNames = [
  'journal.csv',
  'journal.json',
  'fees.csv',
  'rail.camt.053.xml',
  'rail.ofx',
  'statement.pdf',
  'datev.csv',
  'xero-journal.csv',
  'quickbooks-journal.csv',
  'xero-bank.csv',
  'quickbooks-bank.csv',
  'income.csv',
  'volumes.csv',
  'customer.csv',
  'carf.csv',
  '1099-da.csv',
] as const
/** Exports of one rail. */
export const railExports: readonly string[] = [
  'rail.camt.053.xml',
  'rail.ofx',
  'xero-bank.csv',
  'quickbooks-bank.csv',
]
/** Exports in one currency. */
export const currencyExports: readonly string[] = ['datev.csv', 'xero-journal.csv', 'quickbooks-journal.csv']
export type ExportName = (typeof exportNames)[number]

const Name = Type.Enum(exportNames)
/** Days in the time zone of the journal, both included; at most 400. */
export const ExportQuery = Type.Object({
  from: Day,
  to: Day,
  /** The currency of `datev.csv`, `xero-journal.csv` and `quickbooks-journal.csv`; by default the currency of the first asset. */
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  /** Required by `rail.camt.053.xml`, `rail.ofx`, `xero-bank.csv` and `quickbooks-bank.csv`. */
  rail: Type.Optional(Type.String({ maxLength: 40 })),
  /** Required by `customer.csv`: the id of a customer; all accounts of the same person count. */
  customer: Type.Optional(Id),
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
