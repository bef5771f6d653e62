import { anchorNames } from '../anchors/anchors.ts'
import { organizationNames } from '../operators/organizations.ts'
import type { Job, JobStatus } from '@windlass/contracts/platform/provisioning.ts'
import { notify } from '@windlass/service/postgres/database.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { sql } from 'kysely'
import { JOB_CHANNEL } from '../infrastructure/job-changes.ts'
import type { PlatformDb } from '../tables.ts'

const stalled = sql<boolean>`(jobs.status in ('pending', 'running') and jobs.heartbeat_at < now() - interval '30 seconds')`

export interface JobState {
  job: Job
  /** Grows with every visible change. */
  version: string
  anchorId: string
}

function jobs(db: PlatformDb) {
  return db
    .selectFrom('jobs')
    .select([
      'jobs.id',
      'jobs.anchor_id',
      'jobs.snapshot',
      'jobs.version',
      'jobs.created_at',
      stalled.as('stalled'),
    ])
}

interface JobRow {
  id: string
  anchor_id: string
  snapshot: Job
  version: string
  created_at: Date
  stalled: boolean
}

/** The snapshot with the present `stalled`, which is computed when it is read. */
function currentJob(row: JobRow): Job {
  const job = { ...row.snapshot, jobId: row.id, createdAt: row.created_at.toISOString() }
  return row.stalled ? { ...job, stalled: true } : job
}

export async function findJob(db: PlatformDb, id: string): Promise<JobState | null> {
  const row = await jobs(db).where('jobs.id', '=', id).executeTakeFirst()
  return row ? { job: currentJob(row), version: row.version, anchorId: row.anchor_id } : null
}

/** The id of an anchor's job; every anchor has one. */
export async function jobOfAnchor(db: PlatformDb, anchorId: string): Promise<string> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('anchor_id', '=', anchorId)
    .executeTakeFirstOrThrow()
  return row.id
}

/** Job ids by anchor. */
export async function jobIdsOf(
  db: PlatformDb,
  anchorIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (anchorIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'anchor_id'])
    .where('anchor_id', 'in', anchorIds)
    .execute()
  return new Map(rows.map(row => [row.anchor_id, row.id]))
}

export function lockJob(tx: PlatformDb, id: string) {
  return tx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

interface JobFilter {
  status?: JobStatus | undefined
  stalled?: boolean | undefined
}

export async function findJobs(db: PlatformDb, filter: JobFilter, start: PageStart | null, limit: number) {
  let query = jobs(db).orderBy('jobs.created_at', 'desc').orderBy('jobs.id', 'desc').limit(limit)
  if (filter.status) query = query.where('jobs.status', '=', filter.status)
  if (filter.stalled) query = query.where(stalled)
  if (start) query = query.where(sql<boolean>`(jobs.created_at, jobs.id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  const anchors = await anchorNames(
    db,
    rows.map(row => row.anchor_id),
  )
  const organizations = await organizationNames(
    db,
    [...anchors.values()].map(({ organizationId }) => organizationId),
  )
  return rows.map(row => {
    const anchor = anchors.get(row.anchor_id)
    return {
      id: row.id,
      createdAt: row.created_at,
      job: {
        ...currentJob(row),
        anchorId: row.anchor_id,
        subdomain: anchor?.subdomain ?? '',
        organizationName: organizations.get(anchor?.organizationId ?? '') ?? '',
      },
    }
  })
}

/** Jobs that need someone, and those that run. */
export async function countJobs(
  db: PlatformDb,
): Promise<{ failed: number; stalled: number; running: number }> {
  return db
    .selectFrom('jobs')
    .select([
      sql<number>`(count(*) filter (where jobs.status = 'failed'))::int`.as('failed'),
      sql<number>`(count(*) filter (where ${stalled}))::int`.as('stalled'),
      sql<number>`(count(*) filter (where jobs.status in ('pending', 'running') and not ${stalled}))::int`.as(
        'running',
      ),
    ])
    .executeTakeFirstOrThrow()
}

/** Keeps the revision of a report that changed nothing visible. */
export async function markAlive(tx: PlatformDb, id: string, revision: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ revision: String(revision), heartbeat_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Saves a new snapshot and notifies the listeners of every process. */
export async function saveSnapshot(tx: PlatformDb, job: Job, revision: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      status: job.status,
      snapshot: JSON.stringify(job),
      revision: String(revision),
      version: sql<string>`version + 1`,
      heartbeat_at: sql<Date>`now()`,
    })
    .where('id', '=', job.jobId)
    .execute()
  await notify(tx, JOB_CHANNEL, job.jobId)
}
