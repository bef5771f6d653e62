import type { PlatformDb } from '../tables.ts'
import { entryHash } from './record.ts'

/** A place in the log: the number of an entry and its hash. `0` and 32 zero bytes stand before the first. */
export interface Place {
  sequence: string
  hash: Buffer
}

export const START: Place = { sequence: '0', hash: Buffer.alloc(32) }

const BATCH = 1_000

/**
 * Follows the chain from one place to an entry's number, oldest first. Returns the last place that fits; `brokenAt` is
 * the first number that does not: the entry was changed, is missing, or follows one that is.
 */
export async function followChain(
  db: PlatformDb,
  from: Place,
  to: string,
): Promise<{ last: Place; brokenAt?: string }> {
  let last = from
  for (;;) {
    const entries = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('sequence', '>', last.sequence)
      .where('sequence', '<=', to)
      .orderBy('sequence')
      .limit(BATCH)
      .execute()
    for (const entry of entries) {
      const follows =
        BigInt(entry.sequence) === BigInt(last.sequence) + 1n && entry.previous.equals(last.hash)
      if (!follows || !entryHash(entry).equals(entry.hash)) return { last, brokenAt: entry.sequence }
      last = { sequence: entry.sequence, hash: entry.hash }
    }
    if (entries.length < BATCH) break
  }
  if (BigInt(last.sequence) >= BigInt(to)) return { last }
  return { last, brokenAt: String(BigInt(last.sequence) + 1n) }
}

/** The newest entry's place. */
export const readHead = (db: PlatformDb): Promise<Place> =>
  db.selectFrom('audit_head').select(['sequence', 'hash']).executeTakeFirstOrThrow()

/** The hash of an entry as it is stored, or null. */
export async function hashAt(db: PlatformDb, sequence: string): Promise<Buffer | null> {
  if (sequence === START.sequence) return START.hash
  const row = await db
    .selectFrom('audit_log')
    .select('hash')
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.hash ?? null
}
