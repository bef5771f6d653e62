import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import pg from 'pg'
import { inject } from 'vitest'
import { anchorProcesses, jobIdOf, type Fixture } from './fixture.ts'

/** What provisioning one anchor creates, whatever failures occur in between. */
export const oneAnchor = {
  keys: 3,
  accounts: 3,
  trustlines: 1,
  issues: ['1000000.0000000'],
  databases: 1,
  roles: 3,
  servers: 2,
  registryRows: 1,
  secretsAnnounced: 1,
  stagesWentBack: false,
}

interface Operation {
  type: string
  transaction_successful: boolean
  asset_code?: string
  amount?: string
  from?: string
}

/** Counts the effects at their source: the ledger, the database server, the process table, the registry. */
export async function countEffects(fixture: Fixture, plan: AnchorPlan): Promise<typeof oneAnchor> {
  const jobId = jobIdOf(plan)
  return {
    ...(await countOutside(fixture, plan)),
    registryRows: fixture.platform.registry.has(jobId) ? 1 : 0,
    secretsAnnounced: fixture.platform.secrets.has(jobId) ? 1 : 0,
    stagesWentBack: stagesWentBack(fixture, jobId),
  }
}

/** The effects outside the platform. */
export async function countOutside(fixture: Fixture, { anchorId }: Pick<AnchorPlan, 'anchorId'>) {
  const { rows } = await fixture.database.query<{ role: string; public_key: string }>(
    'select role, public_key from anchor_secrets where anchor_id = $1 and public_key is not null',
    [anchorId],
  )
  const keys = new Map(rows.map(row => [row.role, row.public_key]))
  const [issuer = '', distribution = ''] = [keys.get('issuer'), keys.get('distribution')]
  const operations = await operationsOf(fixture, distribution)
  const found = await Promise.all(
    [...keys.values()].map(key => fetch(`${fixture.network.url}/accounts/${key}`)),
  )
  const processes = await anchorProcesses(fixture.home)
  return {
    keys: keys.size,
    accounts: found.filter(answer => answer.ok).length,
    trustlines: operations.filter(each => each.type === 'change_trust').length,
    issues: operations
      .filter(each => each.type === 'payment' && each.from === issuer)
      .map(each => each.amount ?? ''),
    ...(await databasesOf({ anchorId }, fixture.env.ANCHORS_DATABASE_URL)),
    servers: processes.filter(({ mark }) => mark.includes(anchorId)).length,
  }
}

async function operationsOf(fixture: Fixture, account: string): Promise<Operation[]> {
  const answer = await fetch(
    `${fixture.network.url}/accounts/${account}/operations?limit=200&include_failed=true`,
  )
  const page = (await answer.json()) as { _embedded: { records: Operation[] } }
  return page._embedded.records
}

export async function databasesOf(
  plan: Pick<AnchorPlan, 'anchorId'>,
  server = inject('postgresUrl'),
): Promise<{ databases: number; roles: number }> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const count = async (text: string) =>
    Number((await client.query<{ count: string }>(text, [`%${plan.anchorId}%`])).rows[0]?.count)
  const databases = await count('select count(*) from pg_database where datname like $1')
  const roles = await count('select count(*) from pg_roles where rolname like $1')
  await client.end()
  return { databases, roles }
}

function stagesWentBack(fixture: Fixture, jobId: string): boolean {
  const reported = fixture.platform.reports
    .filter(report => report.jobId === jobId)
    .sort((a, b) => a.revision - b.revision)
    .map(report => stageNames.indexOf(report.job.stage))
  return reported.some((stage, index) => index > 0 && stage < (reported[index - 1] ?? 0))
}
