import * as contracts from '@windlass/contracts/anchor/journal.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listCloses } from '../../money/journal/closes.ts'
import { closeDocument, closeForm, closePeriod, previewPeriod } from './close.ts'

export function serveClosing(on: On, deps: Deps): void {
  on(contracts.getPeriod).serve(({ query }) => previewPeriod(deps, query))
  on(contracts.listCloses).serve(async ({ query, request, reply }) => {
    const rows = await listCloses(deps.database.db, query)
    linkNext(request, reply, query, rows)
    return rows.map(closeForm)
  })
  on(contracts.getClose).serve(({ params }) => closeDocument(deps, params.id))
  on(contracts.closePeriodAs).serve(async ({ body }) => answer(201, await closePeriod(deps, body)))
}
