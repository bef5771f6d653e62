import { type RawBuilder, sql } from 'kysely'
import { isLookedInto } from '../people/compliance/cases.ts'
import { namesInCases } from '../people/customers/kept.ts'

const [ID, ACCOUNT, MEMO] = [sql<string>`t.id`, sql<string>`t.account`, sql<string | null>`t.account_memo`]
const theirCustomers = sql<string>`${namesInCases({ id: ID, account: ACCOUNT, memo: MEMO })}
  union all values (t.customer_id::text), (t.receiver_id::text)`

/** Whether someone looks into a transaction or its customers, so that nothing about it is removed. */
export const isTransferLookedInto = (id: RawBuilder<string>) => sql<boolean>`exists (select from transfers t
  where t.id = ${id} and ${isLookedInto(sql`t.id::text`, theirCustomers)})`
