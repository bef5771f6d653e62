import type { AuditEntry } from '@windlass/contracts/administrators.ts'
import type { PageStart } from '@windlass/service/pages.ts'
import type { PlatformDb } from '../database.ts'

export interface AuditFilter {
  subject?: string | undefined
  actor?: string | undefined
}

export async function findEntries(
  db: PlatformDb,
  filter: AuditFilter,
  start: PageStart | null,
  limit: number,
): Promise<{ entry: AuditEntry; createdAt: Date; id: string }[]> {
  let query = db.selectFrom('audit_log').selectAll().orderBy('sequence', 'desc').limit(limit)
  if (filter.subject) query = query.where('subject', '=', filter.subject)
  if (filter.actor) query = query.where('actor', '=', filter.actor)
  if (start) query = query.where('sequence', '<', start.id)
  const rows = await query.execute()
  return rows.map(row => ({
    id: row.sequence,
    createdAt: row.at,
    entry: {
      id: row.sequence,
      at: row.at.toISOString(),
      actor: row.actor,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details) as Record<string, unknown>,
      hash: row.hash.toString('hex'),
    },
  }))
}
