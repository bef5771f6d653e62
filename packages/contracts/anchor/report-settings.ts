import Type, { type Static } from 'typebox'
import { Count, Nullable, OneLine, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/* What a financial intelligence unit gives its members for reports in goAML: numbers, codes of its own lists, and its schema. */

const Code = OneLine(50)
export const MAX_SCHEMA_BYTES = 1_000_000

export const GoamlSettings = Type.Object({
  /** The anchor's number at the unit. */
  rentityId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  /** The currency of the unit’s country: amounts of transactions are in it. */
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  submissionCode: Code,
  /** Codes of a report with transactions, and of one without. */
  reportCodes: Type.Object({ transactions: Code, activity: Code }),
  fundsCode: Code,
  transmodeCode: Code,
  accountType: Nullable(Code),
  accountStatus: Nullable(Code),
  /** BIC of the anchor; null: it has none. */
  swift: Nullable(Code),
  indicators: Type.Array(Code, { minItems: 1, maxItems: 50 }),
  /** Who reports. */
  person: Type.Object({ firstName: OneLine(100), lastName: OneLine(100) }),
  /** What an element has that the schema demands and the anchor does not know, by its name, such as `gender` and `-`. */
  unknown: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,60}$' }), OneLine(200), {
    maxProperties: 100,
  }),
})
export type GoamlSettings = Static<typeof GoamlSettings>

const Schema = Type.Object({ fileName: OneLine(200), text: Text(MAX_SCHEMA_BYTES) })

export const ReportSettings = Type.Object({
  /** 0: none were set. */
  version: Count,
  /** Null: none were set. */
  goaml: Nullable(GoamlSettings),
  /** The file of the unit's schema; null: none was given. */
  schema: Nullable(Type.Object({ fileName: Type.String(), sha256: Type.String() })),
  /** `operator:<id>` */
  by: Nullable(Type.String()),
  at: Nullable(Time),
})
export type ReportSettings = Static<typeof ReportSettings>

export const ReportSettingsChange = {
  goaml: GoamlSettings,
  /** The schema as XSD; absent: as it was; null: none. */
  schema: Type.Optional(Nullable(Schema)),
  /** The version of the settings that it changes. */
  version: Count,
}

export const getReportSettings = endpoint('GET /api/v1/report-settings', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'What the financial intelligence unit gave for reports',
  response: { 200: ReportSettings },
})

/** For the platform, which knows the operator and their role. */
export const setReportSettingsAs = endpoint('PUT /admin/report-settings', {
  realm: 'anchor-admin',
  summary: 'Sets what the financial intelligence unit gave for reports',
  body: signed(Type.Object(ReportSettingsChange)),
  response: { 200: ReportSettings },
  problems: ['settings-changed'],
  idempotent: 'replay',
  bodyLimit: 4 * MAX_SCHEMA_BYTES,
})
