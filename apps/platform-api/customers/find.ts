import type { PlatformDb } from '../database.ts'

/** The customer's row, or undefined. */
export const findCustomer = (db: PlatformDb, id: string) =>
  db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()
