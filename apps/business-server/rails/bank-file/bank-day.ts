import { findRailName, type RailName } from '@windlass/contracts/platform/application-fields.ts'

/** Where the banks of a rail keep their days. */
const zones: Readonly<Record<RailName, string>> = {
  SEPA: 'Europe/Berlin',
  ACH: 'America/New_York',
  IMPS: 'Asia/Kolkata',
  NEFT: 'Asia/Kolkata',
  UPI: 'Asia/Kolkata',
}

/** On which day of the rail's banks a moment is, `YYYY-MM-DD`. Of a rail that Windlass does not know, UTC's day. */
export function dayAtBank(rail: string, at: Date): string {
  const known = findRailName(rail)
  const timeZone = known ? zones[known] : 'UTC'
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)
}
