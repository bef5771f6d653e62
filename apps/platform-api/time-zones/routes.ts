import {
  chooseAdminTimeZone,
  chooseCustomerTimeZone,
  chooseOperatorTimeZone,
} from '@windlass/contracts/platform/time-zones.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { chooseTimeZone } from './time-zones.ts'

/** The time zone of each person's screens. */
export function timeZoneRoutes(on: On, { database: { db } }: Deps): void {
  const choose = async (address: string, timeZone: string | null) => {
    await chooseTimeZone(db, address, timeZone)
    return { ok: true }
  }
  on(chooseOperatorTimeZone).serve(({ principal, body }) => choose(principal.email, body.timeZone))
  on(chooseCustomerTimeZone).serve(({ principal, body }) => choose(principal.email, body.timeZone))
  on(chooseAdminTimeZone).serve(({ principal, body }) => choose(principal.username, body.timeZone))
}
