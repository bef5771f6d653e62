import { createSecretKey, type KeyObject } from 'node:crypto'

/** Keys by version, as Node's own objects: of bytes it makes one with each use, which costs four times the encryption of a row. */
export const keyObjects = (keys: ReadonlyMap<number, Uint8Array>): Map<number, KeyObject> =>
  new Map([...keys].map(([version, key]) => [version, createSecretKey(key)]))
