import type { Deps } from '../deps.ts'
import { lockTransfer, overdueTransfers } from './find.ts'
import { move } from './move.ts'
import { release } from '../treasury/treasury.ts'

/** Ends what nobody paid in time, and gives its reservation up. Money that comes later is still found by its reference. */
export async function expireOverdue(deps: Deps): Promise<void> {
  for (const id of await overdueTransfers(deps.database.db)) {
    await deps.database.db.transaction().execute(async tx => {
      const transfer = await lockTransfer(tx, id)
      const due = transfer.expires_at !== null && transfer.expires_at < deps.clock.now()
      if (!due || !['new', 'identifying', 'awaiting_funds'].includes(transfer.state)) return
      await release(tx, id)
      await move(tx, transfer, 'expired', {}, [
        ['notify_transaction_expired', { message: 'No payment came in time.' }],
      ])
    })
    deps.wake.emit('sepCalls')
  }
}
