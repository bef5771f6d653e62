import { randomUUID } from 'node:crypto'

/** A UUID of version 7 (RFC 9562): 48 bits of time, then 74 random ones. Ids of later times sort after. */
export function timeOrderedId(now: Date): string {
  const random = randomUUID()
  return `${timeOf(now)}-7${random.slice(15)}`
}

/** The smallest such id of a moment: bounds a range of them. */
export function earliestIdAt(moment: Date): string {
  return `${timeOf(moment)}-7000-8000-000000000000`
}

/** The moment an id of {@link timeOrderedId} was made at, to the millisecond. */
export function momentOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

function timeOf(moment: Date): string {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}
