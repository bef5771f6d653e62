import { setTimeZone } from './formats.ts'

const KEY = 'windlass.time-zone'

/** The time zone that someone chose for the screens of this browser; undefined: the device's. */
export function chosenTimeZone(): string | undefined {
  if (typeof localStorage === 'undefined') return undefined
  try {
    const zone = localStorage.getItem(KEY) ?? undefined
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    // Without storage, and for a zone that this browser does not know.
    return undefined
  }
}

/** Times are in this zone from now on, in this browser's next visits too; undefined: the device's. */
export function followTimeZone(zone: string | undefined): void {
  if (zone === chosenTimeZone()) return
  try {
    if (zone === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, zone)
  } catch {
    // The account has it.
  }
  setTimeZone(zone)
}

/** Such as `Asia/Kolkata`. */
export const deviceTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
