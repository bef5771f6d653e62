import { badRequest } from '../errors.ts'

const ISO = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** A date, or a date and time, by ISO 8601; UTC by default. Throws 400 naming the field. */
export function readTime(name: string, text: string): Date {
  const [, day = '', time, , , zone] = ISO.exec(text) ?? []
  const date = new Date(time && !zone ? `${text}Z` : text)
  // JavaScript reads 30 February as 2 March.
  const midnight = new Date(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  if (!exists || Number.isNaN(date.getTime())) throw badRequest(`${name} must be an ISO 8601 time`)
  return date
}
