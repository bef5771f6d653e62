import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/** Days in which a case is to be decided, until someone says another day. */
export const DUE_DAYS = 5

/** Puts hits that belong to no case into the open one of their subject, or into a new one. */
export async function fileHits(tx: Db<Tables>): Promise<void> {
  await sql`
    with loose as (
      select h.id, coalesce(n.subject_kind, 'transaction') as kind,
        coalesce(n.subject_id, h.transfer_id::text) as subject
      from screening_hits h left join screened_names n on n.id = h.name_id
      where h.case_id is null and h.state = 'waiting'
    ), opened as (
      insert into cases (subject_kind, subject_id, due_on, opened_by)
      select distinct kind, subject, current_date + ${sql.lit(DUE_DAYS)}, 'screening' from loose
      on conflict (subject_kind, subject_id) where state = 'open' do nothing
      returning id, subject_kind, subject_id
    ), own as (
      select id, subject_kind, subject_id from opened
      union all select id, subject_kind, subject_id from cases where state = 'open'
    )
    update screening_hits h set case_id = own.id
      from loose l join own on own.subject_kind = l.kind and own.subject_id = l.subject
      where h.id = l.id`.execute(tx)
}

/** After a customer is deleted, what they are suspected of belongs to their wallet. */
export async function moveCases(tx: Db<Tables>, customerId: string, walletId: string): Promise<void> {
  await tx
    .updateTable('cases')
    .set({ subject_id: walletId })
    .where('subject_kind', '=', 'customer')
    .where('subject_id', '=', customerId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('cases as other')
            .select('other.id')
            .where('other.subject_kind', '=', 'customer')
            .where('other.subject_id', '=', walletId)
            .where('other.state', '=', 'open'),
        ),
      ),
    )
    .execute()
}
