import type { SQLOutputValue } from 'node:sqlite'
import { number } from '../store/columns.ts'

/** Horizon's form of a time: seconds, with a fraction only where ledgers close more often. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}

/** When an entry last changed; null where the history no longer has that ledger. */
export function modifiedTime(closedAt: SQLOutputValue | undefined): string | null {
  return closedAt === null ? null : timeText(number(closedAt))
}
