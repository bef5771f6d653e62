import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { customersOfPersons, samePersons } from '../people/customers/same-person.ts'
import type { Tables } from '../tables.ts'

/** An account of a person, and its customer; null: they deleted their data. */
interface Peer {
  id: string | null
  account: string
  memo: string | null
}

/** Everything here that is proven to be one person's, by the id at the platform: what was confirmed about one of them counts for all. */
export async function peersOf(db: Db<Tables>, personId: string | null): Promise<Peer[]> {
  if (personId === null) return []
  const same = await samePersons(db, personId)
  const { rows: agreed } = await sql<Peer>`
    select distinct null as id, account, account_memo as memo from transfers
    where person = any(${same}::text[]) and sep <> '31'`.execute(db)
  return [...(await customersOfPersons(db, same)), ...agreed]
}
