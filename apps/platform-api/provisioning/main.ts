import { JobStatus } from '@windlass/contracts/platform/provisioning.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { required } from '@windlass/service/process/env.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import type { Tables } from '../tables.ts'
import { findJobs } from './jobs.ts'

// `npm run jobs`: prints the provisioning jobs, the newest first. Arguments: a status, `stalled` or `all`, then `json`
// or `text`.
const PAGE = 200
const [wanted = 'all', format] = process.argv.slice(2)
const status = JobStatus.enum.find(each => each === wanted)
const stalled = wanted === 'stalled' ? true : undefined
if (wanted !== 'all' && !stalled && status === undefined) {
  console.error(`There is no status "${wanted}". Statuses: ${JobStatus.enum.join(', ')}, stalled.`)
  process.exit(2)
}
const database = openDatabase<Tables>(required(process.env, 'PLATFORM_DATABASE_URL'), { name: 'jobs' })
const jobs = []
for (let start: PageStart | null = null, more = true; more;) {
  const rows = await findJobs(database.db, { status, stalled }, start, PAGE)
  jobs.push(...rows.map(({ job }) => job))
  const last = rows.at(-1)
  more = rows.length === PAGE
  start = last ? { createdAt: last.createdAt, id: last.id } : null
}
await database.close()
if (format === 'json') console.log(JSON.stringify(jobs, null, 2))
else {
  for (const job of jobs) {
    const state = job.stalled ? 'stalled' : job.status
    const why = job.error ? `${job.error.code}: ${job.error.detail}` : ''
    console.log(`${job.jobId}  ${state.padEnd(10)}  ${job.subdomain.padEnd(20)}  ${job.stage}  ${why}`)
  }
  if (jobs.length === 0) console.log('There are no jobs.')
}
