import { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { required } from '@windlass/service/process/env.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import type { Tables } from '../tables.ts'
import { type AnchorRow, listAnchors } from './anchors.ts'

// `npm run anchors`: prints the anchors, the newest first. Arguments: a status or `all`, then `json` or `text`.
const PAGE = 500
const [wanted = 'all', format] = process.argv.slice(2)
const status = AnchorStatus.enum.find(each => each === wanted)
if (wanted !== 'all' && status === undefined) {
  console.error(`There is no status "${wanted}". Statuses: ${AnchorStatus.enum.join(', ')}.`)
  process.exit(2)
}
const database = openDatabase<Tables>(required(process.env, 'PLATFORM_DATABASE_URL'), { name: 'anchors' })
const anchors = []
for (let start: PageStart | null = null, more = true; more;) {
  const rows = await listAnchors(database.db, status, start, PAGE)
  anchors.push(...rows)
  const last = rows.at(-1)
  more = rows.length === PAGE
  start = last ? { createdAt: last.created_at, id: last.id } : null
}
await database.close()
const sleepsSince = ({ status: state, asleep_since }: AnchorRow): Date | null =>
  state === 'active' ? asleep_since : null
if (format === 'json') {
  const documents = anchors.map(row => ({
    id: row.id,
    homeDomain: row.home_domain,
    status: row.status,
    reason: row.reason,
    asset: row.plan.asset.code,
    issuer: row.issuer,
    distribution: row.distribution,
    createdAt: row.created_at,
    activatedAt: row.activated_at,
    asleepSince: sleepsSince(row),
  }))
  console.log(JSON.stringify(documents, null, 2))
} else {
  for (const row of anchors) {
    const { id, status: state, home_domain, plan, reason } = row
    const since = sleepsSince(row)
    const note = reason ?? (since ? `asleep since ${since.toISOString()}` : '')
    console.log(`${id}  ${state.padEnd(12)}  ${plan.asset.code.padEnd(12)}  ${home_domain}  ${note}`)
  }
  if (anchors.length === 0) console.log('There are no anchors.')
}
