import { getAdminHome } from '@windlass/contracts/platform/admin-home.ts'
import { listAudit, searchEverything } from '@windlass/contracts/platform/administrators.ts'
import { getVolume } from '@windlass/contracts/platform/volume.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import { anchorNames, countByStatus } from '../anchors/anchors.ts'
import { countWaiting } from '../applications/search.ts'
import { readEntries } from '../audit/log.ts'
import type { Deps } from '../deps.ts'
import { listOpenConditions } from '../notifications/record.ts'
import { countJobs } from '../provisioning/jobs.ts'
import type { PlatformDb } from '../tables.ts'
import { namesOf } from './names.ts'
import { search } from './search.ts'
import { volumes } from './volume.ts'

/** What administrators see of all slices together. */
export function adminOverviewRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  const volume = volumes(deps)
  on(getAdminHome).serve(() => home(db))
  on(getVolume).serve(({ query }) => volume(query.days ?? 14))
  on(searchEverything).serve(({ query }) => search(db, query.text.trim()))
  on(listAudit).serve(async ({ query, request, reply }) => {
    const found = await readEntries(db, query, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    const entries = found.map(({ entry }) => entry)
    const names = await namesOf(
      db,
      entries.flatMap(({ actor, subject }) => [actor, subject]),
    )
    return entries.map(entry => {
      const [actorName, subjectName] = [names.get(entry.actor), names.get(entry.subject)]
      return { ...entry, ...(actorName ? { actorName } : {}), ...(subjectName ? { subjectName } : {}) }
    })
  })
}

async function home(db: PlatformDb) {
  const [{ waiting, oldest }, jobs, anchors, open] = await Promise.all([
    countWaiting(db),
    countJobs(db),
    countByStatus(db),
    listOpenConditions(db),
  ])
  const names = await anchorNames(
    db,
    open.flatMap(({ anchorId }) => anchorId ?? []),
  )
  const alerts = open.map(({ anchorId, notification }) => ({
    ...notification,
    anchor: anchorId === null ? null : { id: anchorId, subdomain: names.get(anchorId)?.subdomain ?? '' },
  }))
  return { applications: { waiting, oldest: oldest?.toISOString() ?? null }, jobs, anchors, alerts }
}
