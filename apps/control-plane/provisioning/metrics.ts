import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { stages } from './stages.ts'

interface Jobs {
  stage: string
  state: string
  jobs: number
  oldest: number
}

/** Provisioning jobs by the stage they are at (completed ones: the last), and how long the oldest open one has been open. */
export function publishJobMetrics({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  const read = kept(async () => {
    const { rows } = await sql<Jobs>`
      select coalesce(next.name, ${stages.at(-1)?.name ?? ''}) as stage, jobs.status as state, count(*)::int as jobs,
        extract(epoch from clock_timestamp() - min(jobs.created_at))::float8 as oldest
      from jobs left join lateral (
        select name from job_stages
        where job_id = jobs.id and jobs.status <> 'completed' and status <> 'completed'
        order by position limit 1) next on true
      group by 1, 2`.execute(db)
    return rows
  })
  publishGauge(metrics, {
    name: 'windlass_jobs',
    help: 'Provisioning jobs by the stage that they are at and their state',
    labels: ['stage', 'state'],
    read: async () =>
      (await read()).map(({ stage, state, jobs }) => ({
        labels: { stage: keyOf(stage), state },
        value: jobs,
      })),
  })
  publishGauge(metrics, {
    name: 'windlass_job_oldest_seconds',
    help: 'Time since the oldest job was accepted that is neither completed nor failed; 0: there is none',
    read: async () => {
      const open = (await read()).filter(({ state }) => state === 'pending' || state === 'running')
      return Math.max(0, ...open.map(({ oldest }) => oldest))
    },
  })
}

/** A stage of another version of Windlass has no key here. */
const keyOf = (name: string): string => stages.find(stage => stage.name === name)?.key ?? name
