import { getCaseReport } from '@windlass/contracts/anchor/cases.ts'
import { getReportSettings, setReportSettingsAs } from '@windlass/contracts/anchor/report-settings.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { fincenSar } from './fincen-sar.ts'
import { fitTo } from './fit.ts'
import { goaml } from './goaml.ts'
import { readSchema } from './schema.ts'
import { currentReportSettings, reportSettings, setReportSettings } from './settings.ts'
import { type Reported, reportedOf } from './subject.ts'
import { xmlDocument } from './xml.ts'

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
  const schema = row?.schema ? readSchema(row.schema) : null
  if (!row || !schema) return { xml: xmlDocument(draft), schema: null }
  const fitted = fitTo(schema, draft, row.settings.unknown)
  const findings = fitted.findings.slice(0, MOST_FINDINGS)
  return { xml: xmlDocument(fitted.draft), schema: { fileName: row.schema_name ?? '', findings } }
}
