import { sql } from 'kysely'
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { AuditSignatureTable } from './tables.ts'
import { followChain, hashAt, type Place, readHead, START } from './chain.ts'
import { record } from './record.ts'

/** The entry that the first signature writes. A second one shows that the signature was removed. */
export const SIGNING_STARTED = 'audit.signing_started'

/** One process signs at a time; writers of entries need not wait. */
const LOCK = 727_010

/** The log does not fit what was signed. It is not signed any more until an operator has looked. */
export class TamperedLog extends Error {}

/**
 * HMAC-SHA256 of a place, under a key derived from one of PLATFORM_KEY (RFC 5869): someone who changes only the database
 * cannot make one.
 */
export function signPlace(key: Buffer, { sequence, hash }: Place): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'windlass audit head', 32))
  return createHmac('sha256', derived)
    .update(`${sequence}:${hash.toString('hex')}`)
    .digest()
}

/** Whether the key that signed is configured and the signature is right. */
export function isSigned(
  keyring: ReadonlyMap<number, Buffer>,
  { key_version, mac, ...place }: Pick<AuditSignatureTable, 'sequence' | 'hash' | 'key_version' | 'mac'>,
): boolean {
  const key = keyring.get(key_version)
  if (!key) return false
  const expected = signPlace(key, place)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

/**
 * Signs the newest entry, after following the chain from what was signed before. Several processes may do it at once.
 *
 * @param before the place that this process signed last: an older signature that was put back is noticed by it.
 * @throws {TamperedLog} where the log no longer continues what was signed; it is not signed then.
 */
export function signHead({ database, clock, config }: Deps, before: Place = START): Promise<Place> {
  return database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    const signature = await tx.selectFrom('audit_signature').selectAll().executeTakeFirst()
    if (signature && !isSigned(config.keyring, signature)) {
      throw new TamperedLog('the signature of the audit log is not valid')
    }
    const signed = signature ? { sequence: signature.sequence, hash: signature.hash } : START
    if (BigInt(signed.sequence) < BigInt(before.sequence)) {
      throw new TamperedLog(
        `the audit log was signed up to entry ${before.sequence}, and now to ${signed.sequence}`,
      )
    }
    const head = await readHead(tx)
    if (BigInt(head.sequence) < BigInt(signed.sequence)) {
      throw new TamperedLog(`entries ${next(head)} to ${signed.sequence} of the audit log are missing`)
    }
    if (!(await hashAt(tx, signed.sequence))?.equals(signed.hash)) {
      throw new TamperedLog(`entry ${signed.sequence} of the audit log is not the one that was signed`)
    }
    const { last, brokenAt } = await followChain(tx, signed, head.sequence)
    if (brokenAt) throw new TamperedLog(`entry ${brokenAt} of the audit log does not fit`)
    if (!last.hash.equals(head.hash)) throw new TamperedLog('the head of the audit log is not its last entry')
    const [version = 0, key = Buffer.alloc(0)] = [...config.keyring][0] ?? []
    if (signature?.key_version === version && last.sequence === signed.sequence) return last
    const now = clock.now()
    if (!signature) {
      const act = {
        actor: 'system',
        action: SIGNING_STARTED,
        subject: 'audit',
        details: { after: last.sequence },
      }
      await record(tx, act, now)
    }
    const place = signature ? last : await readHead(tx)
    const row = { ...place, key_version: version, mac: signPlace(key, place), signed_at: now }
    await tx
      .insertInto('audit_signature')
      .values(row)
      .onConflict(conflict => conflict.column('id').doUpdateSet(row))
      .execute()
    return place
  })
}

const next = ({ sequence }: Place) => String(BigInt(sequence) + 1n)
