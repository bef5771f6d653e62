import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { announce } from '../transactions/announce.ts'
import { changeTransaction, findOwned, lockTransaction } from '../transactions/find.ts'
import { changeable } from '../transactions/destination.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Takes what the anchor asked for. Throws 404 for another's, a refusal in another status or for other fields. */
export async function patchTransaction(
  deps: Deps,
  wallet: Principals['wallet'],
  id: string,
  given: Record<string, string>,
): Promise<Transaction> {
  return deps.database.db.transaction().execute(async tx => {
    const mine = await findOwned(tx, '6', wallet, { id })
    const row = mine && (await lockTransaction(tx, id))
    if (!row) throw new Problem('not-found', 'There is no such transaction.')
    if (row.status !== 'pending_transaction_info_update') throw refused('the transaction asks for nothing')
    const wrong = Object.keys(given).find(name => !changeable.includes(name))
    if (wrong) throw refused(`${wrong} was not asked for`)
    const fields = JSON.stringify({ ...row.fields, ...given })
    const changed = await changeTransaction(tx, id, { fields, status: 'pending_anchor' })
    await announce(tx, 'transaction_status_changed', changed)
    return changed
  })
}
