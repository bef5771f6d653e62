import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { keyObjects } from './key-objects.ts'

/** A row in a form that does not depend on how a database writes it: each part as text, or null. */
export type BoundRow = readonly (string | null)[]

/**
 * Proves that a process with a key wrote a row, which a login to the database alone does not have: HMAC-SHA-256 (RFC 2104)
 * under a key that follows from a versioned one.
 */
export interface Binder {
  bind(row: BoundRow): Buffer
  isBound(bound: Buffer | null, row: BoundRow): boolean
}

/** @param keys by version, the newest first: it binds, all verify. */
export function createBinder(keys: ReadonlyMap<number, Buffer>): Binder {
  const [newest] = keys.keys()
  if (newest === undefined) throw new Error('at least one key is needed')
  const derive = (key: Buffer) => new Uint8Array(hkdfSync('sha256', key, '', 'windlass rows', 32))
  const derived = keyObjects(new Map([...keys].map(([version, key]) => [version, derive(key)])))
  /** Layout: version (1 byte), HMAC (32). */
  const under = (version: number, row: BoundRow): Buffer | null => {
    const key = derived.get(version)
    if (!key) return null
    const mac = createHmac('sha256', key).update(JSON.stringify(row)).digest()
    return Buffer.concat([Buffer.from([version]), mac])
  }
  return {
    bind: row => under(newest, row) ?? Buffer.alloc(0),
    isBound: (bound, row) => {
      const expected = bound && under(bound[0] ?? -1, row)
      if (!bound || !expected) return false
      return bound.length === expected.length && timingSafeEqual(bound, expected)
    },
  }
}
