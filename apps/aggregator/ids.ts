import { randomBytes } from 'node:crypto'

/** A UUID of version 7 (RFC 9562): 48 bits of time, then 74 random ones. Ids of later times sort after. */
export function timeOrderedId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const random = randomBytes(10)
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80
  const rest = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`
}

/** The smallest such id of a moment: bounds a range of them. */
export function earliestIdAt(moment: Date): string {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text can be an id at all: what is none is unknown, not wrong. */
export const isUuid = (id: string): boolean => UUID.test(id)
