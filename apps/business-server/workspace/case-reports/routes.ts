import { getCaseReport } from '@windlass/contracts/anchor/cases.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { fincenSar } from './fincen-sar.ts'
import { goaml } from './goaml.ts'
import { reportedOf } from './subject.ts'

export function serveCaseReports(on: On, deps: Deps): void {
  on(getCaseReport).serve(async ({ params: { id }, query: { format, currency } }) => {
    const reported = await reportedOf(deps, id)
    const local = currency ?? servedAsset(deps.config.anchor, null).anchoredTo
    return {
      fileName: `${deps.config.anchor.plan.subdomain}-${format}-${id}.xml`,
      xml: format === 'fincen-sar' ? fincenSar(reported) : goaml(reported, local),
    }
  })
}
