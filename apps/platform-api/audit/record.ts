import { createHash } from 'node:crypto'
import type { PlatformDb } from '../tables.ts'

/** One action for the log. Never a secret: entries are permanent. */
interface Act {
  /** `admin:<username>`, `operator:<id>`, `founder:<application id>`, `anchor:<id>` or `system`. */
  actor: string
  /** `application.approved` */
  action: string
  /** `application:app_…` */
  subject: string
  details?: Record<string, unknown>
}

/**
 * Writes an entry in the action's own transaction. It holds the head's row lock until that ends, so it comes last in a
 * transaction: entries are in commit order and no two transactions deadlock. Returns the entry's number.
 */
export async function record(tx: PlatformDb, act: Act, now: Date): Promise<string> {
  const head = await tx
    .selectFrom('audit_head')
    .select(['sequence', 'hash'])
    .forUpdate()
    .executeTakeFirstOrThrow()
  const entry = {
    sequence: String(BigInt(head.sequence) + 1n),
    at: now,
    actor: act.actor,
    action: act.action,
    subject: act.subject,
    details: JSON.stringify(act.details ?? {}),
    previous: head.hash,
  }
  const hash = entryHash(entry)
  await tx
    .insertInto('audit_log')
    .values({ ...entry, hash })
    .execute()
  await tx.updateTable('audit_head').set({ sequence: entry.sequence, hash }).execute()
  return entry.sequence
}

interface HashedEntry {
  sequence: string
  at: Date
  actor: string
  action: string
  subject: string
  details: string
  previous: Buffer
}

/** SHA-256 over the previous hash and each field with its length, so that no two entries hash alike. */
export function entryHash(entry: HashedEntry): Buffer {
  const hash = createHash('sha256').update(entry.previous)
  const { sequence, at, actor, action, subject, details } = entry
  for (const field of [sequence, at.toISOString(), actor, action, subject, details]) {
    hash.update(`${Buffer.byteLength(field)}:${field}`)
  }
  return hash.digest()
}
