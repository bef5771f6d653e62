import type { GoamlSettings, ReportSettings } from '@windlass/contracts/anchor/report-settings.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { fitTo, SchemaTooLarge } from './fit.ts'
import { readSchema } from './schema.ts'

const TOO_LARGE =
  'repeats and nests its parts more often than any report needs. Use the file that the unit gives out.'

/** What counts now; null: nothing was set. */
export async function currentReportSettings(db: Db<Tables>) {
  const query = db.selectFrom('report_settings').selectAll().orderBy('version', 'desc').limit(1)
  return (await query.executeTakeFirst()) ?? null
}

export async function reportSettings(db: Db<Tables>): Promise<ReportSettings> {
  const row = await currentReportSettings(db)
  if (!row) return { version: 0, goaml: null, schema: null, by: null, at: null }
  const { schema_name: fileName, schema } = row
  const sha256 = createHash('sha256')
    .update(schema ?? '')
    .digest('hex')
  return {
    ...{ version: Number(row.version), goaml: row.settings, by: row.by, at: row.at.toISOString() },
    schema: fileName === null ? null : { fileName, sha256 },
  }
}

interface Change {
  goaml: GoamlSettings
  schema?: { fileName: string; text: string } | null
  version: number
  by: string
}

/** Throws `settings-changed` where the version is not the newest, `validation-failed`. */
export async function setReportSettings(
  { database }: Pick<Deps, 'database'>,
  { goaml, schema, version, by }: Change,
): Promise<ReportSettings> {
  if (schema) tryOut(schema.text)
  return database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('report settings', 0))`.execute(tx)
    const before = await currentReportSettings(tx)
    if (Number(before?.version ?? 0) !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the settings meanwhile. Look at them again, then repeat your change.',
      )
    const kept =
      schema === undefined ? before : schema && { schema_name: schema.fileName, schema: schema.text }
    await tx
      .insertInto('report_settings')
      .values({
        ...{ settings: JSON.stringify(goaml), by },
        ...{ schema_name: kept?.schema_name ?? null, schema: kept?.schema ?? null },
      })
      .execute()
    return reportSettings(tx)
  })
}

/** Throws `validation-failed` for what no draft can be brought into the form of. */
function tryOut(text: string): void {
  const schema = readSchema(text)
  if (!schema?.has('report'))
    throw invalid(
      'schema',
      'must be an XSD with an element report, as goAML has it, with whole numbers for minOccurs and maxOccurs, and without a group or type that refers to itself',
    )
  try {
    fitTo(schema, ['report', []], {})
  } catch (error) {
    if (!(error instanceof SchemaTooLarge)) throw error
    throw invalid('schema', TOO_LARGE)
  }
}
