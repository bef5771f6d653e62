import {
  approveApplication,
  approveApplicationAlias,
  getApplication,
  getApplicationStatus,
  listApplications,
  rejectApplication,
  rejectApplicationAlias,
  submitApplication,
} from '@windlass/contracts/platform/applications.ts'
import { emailLanguages } from '@windlass/contracts/platform/emails.ts'
import { languageOf } from '@windlass/service/http/language.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmedAdmin } from '../second-factors/factors.ts'
import { asReviewed, findApplication, findOneReviewed, findReviewed } from './queries.ts'
import { approve, reject } from './review.ts'
import { submit } from './submit.ts'

export function applicationRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const submissions = createRate(pool, 'applications', 60 * deps.config.rateFactor, 15 * 60)
  const mailed = createRate(pool, 'application-mails', 5 * deps.config.rateFactor, 24 * 3600)

  on(submitApplication).serve(async ({ body, request }) => {
    await submissions.demand(request.clientAddress)
    return submit({ ...deps, mailed }, body, languageOf(request.headers, emailLanguages))
  })
  on(getApplicationStatus).serve(async ({ params }) => {
    const row = await findApplication(db, params.id)
    if (!row) throw new Problem('application-not-found', 'There is no application with this id.')
    return { status: row.status }
  })
  on(listApplications).serve(async ({ query, request, reply }) => {
    const rows = await findReviewed(db, query.status, pageStart(query), pageSize(query))
    const page = rows.map(row => ({ id: row.id, createdAt: row.created_at }))
    linkNext(request, reply, query, page)
    return rows.map(asReviewed)
  })
  on(getApplication).serve(async ({ params }) => {
    const row = await findOneReviewed(db, params.id)
    if (!row) throw new Problem('application-not-found', 'There is no application with this id.')
    return asReviewed(row)
  })
  for (const endpoint of [approveApplication, approveApplicationAlias]) {
    on(endpoint).serve(async ({ params, principal }) => {
      await requireConfirmedAdmin(deps, principal)
      return approve(deps, params.id, principal)
    })
  }
  for (const endpoint of [rejectApplication, rejectApplicationAlias]) {
    on(endpoint).serve(async ({ params, body, principal }) => {
      await requireConfirmedAdmin(deps, principal)
      return reject(deps, params.id, principal, body.reason)
    })
  }
}
