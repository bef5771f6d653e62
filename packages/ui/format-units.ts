import { readerLocale } from './formats.ts'

/* Formats that the first pages do not load. */

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `2 hr. ago`, `now`. */
export function formatAgo(then: number, now: number): string {
  const elapsed = Math.max(0, now - then)
  const [unit, length] = STEPS.find(([, length]) => elapsed >= length) ?? STEPS[3]
  const relative = new Intl.RelativeTimeFormat(readerLocale(), { numeric: 'auto', style: 'short' })
  return relative.format(-Math.floor(elapsed / length), unit)
}

const BYTE_STEPS = [
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
  ['kilobyte', 1e3],
  ['byte', 1],
] as const

/** `412 byte`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = BYTE_STEPS.find(([, size]) => bytes >= size) ?? BYTE_STEPS[3]
  const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(readerLocale(), style).format(bytes / size)
}

/** `0.4s`, `12s`, `3m 5s`, `2h 4m`. */
export function formatDuration(milliseconds: number): string {
  const total = Math.max(0, milliseconds) / 1000
  if (total < 9.95) return unit('second', total, 1)
  const whole = Math.round(total)
  if (whole < 60) return unit('second', whole)
  if (whole < 3600) return `${unit('minute', Math.floor(whole / 60))} ${unit('second', whole % 60)}`
  return `${unit('hour', Math.floor(whole / 3600))} ${unit('minute', Math.floor((whole % 3600) / 60))}`
}

function unit(name: string, count: number, digits = 0): string {
  const fractions = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = { style: 'unit', unit: name, unitDisplay: 'narrow', ...fractions } as const
  return new Intl.NumberFormat(readerLocale(), format).format(count)
}
