import type { SQLOutputValue } from 'node:sqlite'

/** Readers of one column each; a value of another type means that the store is damaged. */
export function text(value: SQLOutputValue | undefined): string {
  if (typeof value === 'string') return value
  throw new TypeError('expected text')
}

export function optionalText(value: SQLOutputValue | undefined): string | null {
  return value === null ? null : text(value)
}

export function integer(value: SQLOutputValue | undefined): bigint {
  if (typeof value === 'bigint') return value
  throw new TypeError('expected an integer')
}

export function number(value: SQLOutputValue | undefined): number {
  return Number(integer(value))
}

export function bytes(value: SQLOutputValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError('expected bytes')
}

export function hex(value: SQLOutputValue | undefined): string {
  return Buffer.from(bytes(value)).toString('hex')
}

export function base64(value: SQLOutputValue | undefined): string {
  return Buffer.from(bytes(value)).toString('base64')
}
