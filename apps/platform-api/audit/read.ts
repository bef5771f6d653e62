import type { PageStart } from '@windlass/service/pages.ts'
import { invalid } from '@windlass/service/problem.ts'
import type { PlatformDb } from '../database.ts'
import { findEntries, type AuditFilter } from './queries.ts'

/** Entries, the newest first. Throws `validation-failed` for a cursor that is not one of this list. */
export function readEntries(db: PlatformDb, filter: AuditFilter, start: PageStart | null, limit: number) {
  if (start && !/^\d{1,18}$/.test(start.id)) throw invalid('cursor', 'must be the cursor of a Link header')
  return findEntries(db, filter, start, limit)
}
