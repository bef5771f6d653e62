import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { QuoteRow, Tables } from '../tables.ts'
import { findQuoteRow } from './queries.ts'

/** Throws `quote-not-found`. */
export async function findQuote(db: Db<Tables>, id: string): Promise<QuoteRow> {
  const row = isUuid(id) ? await findQuoteRow(db, id) : undefined
  if (!row) throw new Problem('quote-not-found', 'There is no quote with this id.')
  return row
}
