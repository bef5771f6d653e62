import type { GoamlSettings } from '@windlass/contracts/anchor/report-settings.ts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The tables that this slice owns. */
export interface CaseReportsTables {
  report_settings: ReportSettingsTable
}

interface ReportSettingsTable {
  version: GeneratedAlways<string>
  settings: ColumnType<GoamlSettings, string, never>
  schema_name: string | null
  schema: string | null
  by: string
  at: Generated<Date>
}
