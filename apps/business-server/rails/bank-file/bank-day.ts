/** Where the banks of a rail keep their days. A rail of another name has none: its days are UTC's. */
const zones: Readonly<Record<string, string>> = {
  SEPA: 'Europe/Berlin',
  ACH: 'America/New_York',
  IMPS: 'Asia/Kolkata',
  NEFT: 'Asia/Kolkata',
  UPI: 'Asia/Kolkata',
}

/** On which day of the rail's banks a moment is, `YYYY-MM-DD`. */
export const dayAtBank = (rail: string, at: Date): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: zones[rail.toUpperCase()] ?? 'UTC',
    dateStyle: 'short',
  }).format(at)
