import { getBlockedProperty, listReleasedProperty } from '@windlass/contracts/anchor/blocked-property.ts'
import { receiveRailWebhook } from '@windlass/contracts/anchor/developer-api.ts'
import { AmountError } from '@windlass/money/amount.ts'
import { SignatureError, ReportError } from '@windlass/service/outbound/webhooks.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { blockedProperty, listReleased } from './blocked.ts'
import { receiveReport } from './receive-report.ts'

export function serveRailWebhooks(on: On, deps: Deps): void {
  on(getBlockedProperty).serve(() => blockedProperty(deps))
  on(listReleasedProperty).serve(async ({ query, request, reply }) => {
    const found = await listReleased(deps, query)
    linkNext(request, reply, query, found)
    return found.map(({ money }) => money)
  })
  on(receiveRailWebhook).serve(async ({ params, raw, request }) => {
    const rail = deps.rails.get(params.rail)
    if (!rail) throw new Problem('not-found', 'There is no such rail.')
    try {
      const reports = await rail.readWebhook(raw, request.headers, deps.clock.now())
      for (const report of reports) await receiveReport(deps, rail.name, report)
    } catch (error) {
      if (error instanceof SignatureError) throw new Problem('webhook-signature-invalid', `${error.message}.`)
      if (error instanceof AmountError) throw invalid('amount', error.message)
      if (error instanceof ReportError || error instanceof SyntaxError) {
        throw new Problem('validation-failed', 'The report does not have the form of this rail.')
      }
      throw error
    }
    return { ok: true }
  })
}
