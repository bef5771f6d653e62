/** AWS writes times as seconds since 1970 with fractions. */
export const seconds = (time: Date): number => time.getTime() / 1000

/** Midnight UTC of a day such as `2026-03-01`. */
export const secondsOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000
