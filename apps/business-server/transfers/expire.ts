import type { Deps } from '../deps.ts'
import { lockTransfer, overdueTransfers } from './find.ts'
import { move } from './move.ts'
import { release } from '../money/treasury/treasury.ts'

/** Expires transfers that were not paid in time and releases their reservations. A late payment still finds its own. */
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
