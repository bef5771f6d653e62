import type { Job, Stage, StageError, StageName } from '@windlass/contracts/provisioning.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Tables } from '../database.ts'
import { publicUrlOf } from '../anchors/addresses.ts'

export interface Snapshot {
  revision: number
  job: Job
}

/**
 * A job as it stands, for whoever holds its id; `null` where there is none. Read by one statement: revision and stages
 * are of the same moment.
 */
export async function readSnapshot(db: Db<Tables>, config: Config, jobId: string): Promise<Snapshot | null> {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('anchors', 'anchors.id', 'jobs.anchor_id')
    .select([
      'jobs.id',
      'status',
      'revision',
      'attempts',
      'jobs.created_at',
      'jobs.updated_at',
      'plan',
      'anchor_id',
    ])
    .select([accounts, stageRows])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst()
  if (!row) return null
  const stages = row.stages.map(shown)
  const stage = presentStage(stages)
  const failed = stages.find(each => each.status === 'failed')
  const written = stages[2]?.status === 'completed'
  const result = {
    stage,
    homeDomain: row.plan.homeDomain,
    assetCode: row.plan.asset.code,
    ...row.accounts,
    ...(written ? { urls: urlsOf(publicUrlOf(config, row.plan), config.ledger.explorer, row.accounts) } : {}),
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

const accounts = sql<{ issuer?: string; distribution?: string; signingKey?: string }>`
  (select coalesce(jsonb_object_agg(case role when 'signing' then 'signingKey' else role end, public_key), '{}')
   from anchor_secrets where anchor_id = anchors.id and public_key is not null)`.as('accounts')

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

function shown(row: StageRow): Stage {
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

/** The stage it is in. While the last one runs, the one before: `completed` is said only when all is. */
function presentStage(stages: readonly Stage[]): StageName {
  const at = stages.findIndex(stage => stage.status !== 'completed')
  const present = at === -1 ? stages.length - 1 : Math.min(at, stages.length - 2)
  return stages[present]?.name ?? 'Generating Stellar keys'
}

function urlsOf(
  publicUrl: string,
  explorer: string | null,
  { issuer, distribution }: { issuer?: string; distribution?: string },
): Record<string, string> {
  return {
    home: publicUrl,
    discovery: `${publicUrl}/.well-known/stellar.toml`,
    ...(explorer && issuer ? { issuer: `${explorer}/account/${issuer}` } : {}),
    ...(explorer && distribution ? { distribution: `${explorer}/account/${distribution}` } : {}),
  }
}
