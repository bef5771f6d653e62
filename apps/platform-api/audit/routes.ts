import { listAudit, verifyAudit } from '@windlass/contracts/administrators.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import { invalid } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { findEntries } from './queries.ts'
import { verifyChain } from './verify.ts'

export function auditRoutes(on: On, { database: { db } }: Deps): void {
  on(listAudit).serve(async ({ query, request, reply }) => {
    const start = pageStart(query)
    if (start && !/^\d{1,18}$/.test(start.id)) throw invalid('cursor', 'must be the cursor of a Link header')
    const found = await findEntries(db, query, start, pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ entry }) => entry)
  })
  on(verifyAudit).serve(() => verifyChain(db))
}
