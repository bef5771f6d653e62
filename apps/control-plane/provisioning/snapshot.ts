import {
  stageNames,
  type Job,
  type Stage,
  type StageError,
  type StageName,
} from '@windlass/contracts/platform/provisioning.ts'
import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { publicUrlOf } from '../anchors/addresses.ts'
import { getAnchor } from '../anchors/records.ts'
import { listPublicKeys } from '../anchors/vault.ts'
import type { Config } from '../config.ts'
import type { Tables } from '../tables.ts'

interface Snapshot {
  revision: number
  job: Job
}

/**
 * A job as anyone who has its id may see it; null where there is none. Revision and stages are read by one statement,
 * so that they are of the same moment.
 */
export async function readSnapshot(db: Db<Tables>, config: Config, jobId: string): Promise<Snapshot | null> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .select(stageRows)
    .where('jobs.id', '=', jobId)
    .executeTakeFirst()
  if (!row) return null
  const { plan } = await getAnchor(db, row.anchor_id)
  const { issuer, distribution, signing } = await listPublicKeys(db, row.anchor_id)
  // A job that an earlier version completed may have stages that this one does not know.
  const stages = row.stages.filter(({ name }) => stageNames.includes(name)).map(stageOf)
  const stage = presentStage(stages)
  const failed = stages.find(each => each.status === 'failed')
  const written = stages.some(
    ({ name, status }) => name === 'Generating configuration files' && status === 'completed',
  )
  const result = {
    stage,
    homeDomain: plan.homeDomain,
    assetCode: plan.asset.code,
    ...(issuer ? { issuer } : {}),
    ...(distribution ? { distribution } : {}),
    ...(signing ? { signingKey: signing } : {}),
    ...(written
      ? { urls: urlsOf(publicUrlOf(config, plan), config.ledger.explorer, { issuer, distribution }) }
      : {}),
  }
  return {
    revision: row.revision,
    job: {
      jobId: row.id,
      status: row.status,
      stage,
      result,
      stages,
      attempts: row.attempts,
      ...(failed?.error ? { error: { stage, ...failed.error } } : {}),
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    },
  }
}

interface StageRow {
  name: StageName
  status: Stage['status']
  started_at: string | null
  finished_at: string | null
  attempts: number
  error: StageError | null
}

const stageRows = sql<StageRow[]>`
  (select jsonb_agg(to_jsonb(s) order by s.position) from job_stages s where s.job_id = jobs.id)`.as('stages')

function stageOf(row: StageRow): Stage {
  const iso = (time: string | null) => (time === null ? null : new Date(time).toISOString())
  return {
    name: row.name,
    status: row.status,
    startedAt: iso(row.started_at),
    finishedAt: iso(row.finished_at),
    attempts: row.attempts,
    ...(row.error ? { error: row.error } : {}),
  }
}

/** The first open stage. While the last one runs it is the one before: `completed` means that all are. */
function presentStage(stages: readonly Stage[]): StageName {
  const at = stages.findIndex(stage => stage.status !== 'completed')
  const present = at === -1 ? stages.length - 1 : Math.min(at, stages.length - 2)
  return stages[Math.max(0, present)]?.name ?? stageNames[0]
}

function urlsOf(
  publicUrl: string,
  explorer: string | null,
  { issuer, distribution }: { issuer?: string | undefined; distribution?: string | undefined },
): Record<string, string> {
  return {
    home: publicUrl,
    discovery: `${publicUrl}/.well-known/stellar.toml`,
    ...(explorer && issuer && issuer !== NATIVE ? { issuer: `${explorer}/account/${issuer}` } : {}),
    ...(explorer && distribution ? { distribution: `${explorer}/account/${distribution}` } : {}),
  }
}
