import { invalid } from '@windlass/service/http/problem.ts'
import type { PlatformDb } from '../tables.ts'

/** The time zone that the person with this address chose; undefined: none. */
export async function findTimeZone(db: PlatformDb, address: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('time_zones')
    .select('time_zone')
    .where('address', '=', address.toLowerCase())
    .executeTakeFirst()
  return row?.time_zone
}

/** Null forgets the choice. Throws `validation-failed` for a time zone that does not exist. */
export async function chooseTimeZone(
  db: PlatformDb,
  address: string,
  timeZone: string | null,
): Promise<void> {
  if (timeZone === null) return forgetTimeZone(db, address)
  if (!isTimeZone(timeZone)) throw invalid('timeZone', 'must be an IANA name such as Asia/Kolkata')
  await db
    .insertInto('time_zones')
    .values({ address: address.toLowerCase(), time_zone: timeZone })
    .onConflict(conflict => conflict.column('address').doUpdateSet({ time_zone: timeZone }))
    .execute()
}

/** For an account that is deleted, too. */
export async function forgetTimeZone(db: PlatformDb, address: string): Promise<void> {
  await db.deleteFrom('time_zones').where('address', '=', address.toLowerCase()).execute()
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
