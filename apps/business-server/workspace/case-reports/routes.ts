import { getCaseReport } from '@windlass/contracts/anchor/cases.ts'
import { getReportSettings, setReportSettingsAs } from '@windlass/contracts/anchor/report-settings.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { fincenSar } from './fincen-sar.ts'
import { fitTo, SchemaTooLarge } from './fit.ts'
import { goaml } from './goaml.ts'
import { readSchema } from './schema.ts'
import { currentReportSettings, reportSettings, setReportSettings } from './settings.ts'
import { type Reported, reportedOf } from './subject.ts'
import { type Node, xmlDocument } from './xml.ts'

const MOST_FINDINGS = 500

export function serveCaseReports(on: On, deps: Deps): void {
  const { db } = deps.database
  on(getReportSettings).serve(() => reportSettings(db))
  on(setReportSettingsAs).serve(({ body }) => setReportSettings(deps, body))
  on(getCaseReport).serve(async ({ params: { id }, query: { format, currency } }) => {
    const reported = await reportedOf(deps, id)
    const fileName = `${deps.config.anchor.plan.subdomain}-${format}-${id}.xml`
    if (format === 'fincen-sar') return { fileName, xml: fincenSar(reported) }
    return { fileName, ...(await goamlOf(deps, reported, currency)) }
  })
}

/** A draft for goAML, in the form of the unit's schema where there is one. */
async function goamlOf({ database, config }: Deps, reported: Reported, currency: string | undefined) {
  const row = await currentReportSettings(database.db)
  const local = currency ?? row?.settings.currency ?? servedAsset(config.anchor, null).anchoredTo
  const draft = goaml(reported, local, row?.settings ?? null)
  if (!row?.schema) return { xml: xmlDocument(draft), schema: null }
  const fitted = fitToSaved(row.schema, draft, row.settings.unknown)
  const findings = fitted.findings.slice(0, MOST_FINDINGS)
  return { xml: xmlDocument(fitted.draft), schema: { fileName: row.schema_name ?? '', findings } }
}

/** Throws `validation-failed`: an earlier release saved schemas untried, and what a draft has may take more than an empty one. */
function fitToSaved(text: string, draft: Node, unknown: Readonly<Record<string, string>>) {
  const schema = readSchema(text)
  try {
    if (schema) return fitTo(schema, draft, unknown)
  } catch (error) {
    if (!(error instanceof SchemaTooLarge)) throw error
  }
  throw new Problem(
    'validation-failed',
    'No draft can be brought into the form of the schema that was set. Set the file that the unit gives out, or none, under the settings of reports.',
  )
}
