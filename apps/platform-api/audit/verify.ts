import type { PlatformDb } from '../tables.ts'
import { entryHash } from './record.ts'

interface ChainState {
  ok: boolean
  entries: number
  /** The sequence of the first entry that was changed, or that follows a removed one. */
  brokenAt?: string
}

const BATCH = 1_000

/** Walks the whole chain, oldest first, and compares its end with the head. */
export async function verifyChain(db: PlatformDb): Promise<ChainState> {
  const head = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()
  let previous: Buffer = Buffer.alloc(32)
  let last = 0n
  for (;;) {
    const entries = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('sequence', '>', String(last))
      // What was added since the head was read is not yet its business.
      .where('sequence', '<=', head.sequence)
      .orderBy('sequence')
      .limit(BATCH)
      .execute()
    for (const entry of entries) {
      const follows = BigInt(entry.sequence) === last + 1n && entry.previous.equals(previous)
      if (!follows || !entryHash(entry).equals(entry.hash)) {
        return { ok: false, entries: Number(last), brokenAt: entry.sequence }
      }
      previous = entry.hash
      last += 1n
    }
    if (entries.length < BATCH) break
  }
  const whole = last === BigInt(head.sequence) && previous.equals(head.hash)
  return whole
    ? { ok: true, entries: Number(last) }
    : { ok: false, entries: Number(last), brokenAt: String(last + 1n) }
}
