import { createHash } from 'node:crypto'

const digest = (cause: string): Buffer => createHash('sha256').update(cause).digest()

/** The text memo of a sweep to the cold account. */
export const SWEEP_MEMO = 'sweep'

/**
 * What marks a payment on the ledger as the one for its cause, so that a server whose database is older than the
 * payment recognizes it (docs/adr/0037). It is the transaction's `minTime`: a moment before 2004, so that it excludes
 * no ledger.
 */
export const causeMark = (cause: string): number => (digest(cause).readUInt32BE() >>> 2) + 1

/**
 * The id of a rail order: the same for the same cause, also in an older state of the database, so that the rail
 * recognizes a repeat (RFC 9562, version 8).
 */
export function orderIdOf(cause: string): string {
  const bytes = digest(cause).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const GATHERED = 'refund:receipt:gathered:'

/** Not a receipt's own cause, by which an older state would take the sum for that receipt's refund. Still a stranger's. */
export const gatheredCause = (first: string): string => first.replace('refund:receipt:', GATHERED)

export const isGathered = ({ cause }: { cause: string }): boolean => cause.startsWith(GATHERED)
