import type { TransactionNote } from '@windlass/contracts/anchor/developer-api.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Selectable } from 'kysely'
import type { Tables, TransferNoteTable } from '../tables.ts'
import { findTransfer, lockTransfer } from './find.ts'

const MAX_NOTES = 200

/** Throws `transaction-not-found`, and `validation-failed` beyond 200 notes. */
export async function addNote(
  db: Db<Tables>,
  transferId: string,
  note: { by: string; text: string },
): Promise<TransactionNote> {
  return db.transaction().execute(async tx => {
    const transfer = await findTransfer(tx, transferId)
    if (!transfer) throw new Problem('transaction-not-found', 'There is no transaction with this id.')
    // Counted and added by one at a time.
    await lockTransfer(tx, transfer.id)
    if ((await listNotes(tx, transfer.id)).length >= MAX_NOTES)
      throw invalid('text', `is one note too many: a transaction has at most ${MAX_NOTES}`)
    const row = await tx
      .insertInto('transfer_notes')
      .values({ transfer_id: transfer.id, ...note })
      .returningAll()
      .executeTakeFirstOrThrow()
    return formOf(row)
  })
}

/** Oldest first. */
export async function listNotes(db: Db<Tables>, transferId: string): Promise<TransactionNote[]> {
  const rows = await db
    .selectFrom('transfer_notes')
    .selectAll()
    .where('transfer_id', '=', transferId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(formOf)
}

const formOf = ({ id, by, text, at }: Selectable<TransferNoteTable>): TransactionNote => ({
  id,
  by,
  text,
  at: at.toISOString(),
})
