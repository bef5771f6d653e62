import { catalogue } from '../catalogue.ts'

/** Apart from the texts of every page, because few pages show availability. */
export const availabilityTexts = catalogue('availability', {
  minute: (time: string, good: number, checks: number) => `${time}: ${good} of ${checks} checks passed`,
  none: (time: string) => `${time}: no checks`,
  unknown: 'No checks in the last hour',
  summary: (percentage: string) => `Available for ${percentage} of the last hour`,
  lastHour: 'Last hour',
  lastDays: 'Last 90 days',
  unknownDays: 'No checks in the last 90 days',
  summaryOfDays: (percentage: string) => `Available for ${percentage} of the last 90 days`,
  uptime: (percentage: string) => `${percentage} of checks passed`,
})
