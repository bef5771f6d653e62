import type { EventType, PlatformEvent } from '@windlass/contracts/anchor-platform.ts'
import type { Db } from '@windlass/service/database.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { randomUUID } from 'node:crypto'
import type { SepDatabase } from '../database.ts'
import { platformForm } from './platform-form.ts'
import type { Transaction } from './transaction.ts'

/** Tells the business server, and the wallet that asked for it, in the caller's transaction. */
export async function announce(db: Db<SepDatabase>, type: EventType, row: Transaction): Promise<void> {
  const id = randomUUID()
  const event: PlatformEvent = {
    id,
    timestamp: row.updated_at.toISOString(),
    type,
    payload: { transaction: platformForm(row) },
  }
  await enqueue(db, 'event', id, event)
  if (row.on_change_callback && type === 'transaction_status_changed') {
    await enqueue(db, 'wallet-callback', id, { transactionId: row.id, url: row.on_change_callback })
  }
}
