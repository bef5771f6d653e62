import type { Job, JobStatus } from '@windlass/contracts/provisioning.ts'
import { notify } from '@windlass/service/database.ts'
import type { PageStart } from '@windlass/service/pages.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'
import { JOB_CHANNEL } from './changes.ts'

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

/** The snapshot as it is shown: whether it has stalled is seen when it is looked at. */
function shown(row: JobRow): Job {
  const job = { ...row.snapshot, jobId: row.id, createdAt: row.created_at.toISOString() }
  return row.stalled ? { ...job, stalled: true } : job
}

export async function findJob(db: PlatformDb, id: string): Promise<JobState | null> {
  const row = await jobs(db).where('jobs.id', '=', id).executeTakeFirst()
  return row ? { job: shown(row), version: row.version, anchorId: row.anchor_id } : null
}

/** The job of an anchor, which each has from its draft on. */
export async function jobOfAnchor(db: PlatformDb, anchorId: string): Promise<string> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('anchor_id', '=', anchorId)
    .executeTakeFirstOrThrow()
  return row.id
}

export function lockJob(tx: PlatformDb, id: string) {
  return tx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export interface JobFilter {
  status?: JobStatus | undefined
  stalled?: boolean | undefined
}

export async function findJobs(db: PlatformDb, filter: JobFilter, start: PageStart | null, limit: number) {
  let query = jobs(db)
    .innerJoin('anchors', 'anchors.id', 'jobs.anchor_id')
    .innerJoin('organizations', 'organizations.id', 'anchors.organization_id')
    .select(['anchors.subdomain', 'organizations.name'])
    .orderBy('jobs.created_at', 'desc')
    .orderBy('jobs.id', 'desc')
    .limit(limit)
  if (filter.status) query = query.where('jobs.status', '=', filter.status)
  if (filter.stalled) query = query.where(stalled)
  if (start) query = query.where(sql<boolean>`(jobs.created_at, jobs.id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(row => ({
    id: row.id,
    createdAt: row.created_at,
    job: {
      ...shown(row),
      anchorId: row.anchor_id,
      subdomain: row.subdomain,
      organizationName: row.name,
    },
  }))
}

/** A sign of life that changes nothing to see. */
export async function markAlive(tx: PlatformDb, id: string, revision: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ revision: String(revision), heartbeat_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Keeps a new snapshot and tells every process's listeners. */
export async function keepSnapshot(tx: PlatformDb, job: Job, revision: number): Promise<void> {
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
