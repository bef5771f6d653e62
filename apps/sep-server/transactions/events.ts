import {
  type EventType,
  type PlatformEvent,
  type AmountOf,
  type PlatformTransaction,
  isDeposit,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { randomUUID } from 'node:crypto'
import type { Tables, Transaction } from '../tables.ts'
import { plainAmount } from '../requests/amounts.ts'
import { openDetails } from './details.ts'
import { directStatus } from './direct-form.ts'

/** Sends a transaction's change to the business server, and to the wallet's callback, once `db`'s transaction commits. */
export async function publishEvent(
  db: Db<Tables>,
  sealer: Sealer,
  type: EventType,
  row: Transaction,
): Promise<void> {
  const id = randomUUID()
  const event: PlatformEvent = {
    id,
    timestamp: row.updated_at.toISOString(),
    type,
    payload: { transaction: { ...platformForm(row), fields: { ...openDetails(sealer, row) } } },
  }
  await enqueue(db, 'event', id, event, sealer)
  if (row.on_change_callback && type === 'transaction_status_changed') {
    await enqueue(
      db,
      'wallet-callback',
      id,
      { transactionId: row.id, url: row.on_change_callback },
      undefined,
      new URL(row.on_change_callback).host,
    )
  }
}

/** SEP-24 `callback`: one call when the customer has finished the interactive flow. */
export async function queueCallback(db: Db<Tables>, { id, callback }: Transaction): Promise<void> {
  if (callback)
    await enqueue(
      db,
      'wallet-callback',
      `finished:${id}`,
      { transactionId: id, url: callback },
      undefined,
      new URL(callback).host,
    )
}

/** A transaction in the form of the Platform API, without what the wallet sent of its customer. */
export function platformForm(row: Transaction): PlatformTransaction {
  const creator = { account: row.account, memo: row.account_memo ?? undefined }
  const deposit = isDeposit(row.kind)
  return {
    id: row.id,
    sep: row.sep,
    kind: row.kind,
    status: row.sep === '31' ? directStatus(row.status) : row.status,
    type: row.type ?? undefined,
    asset: (deposit ? row.destination_asset : row.source_asset) ?? undefined,
    amount_expected: amount(row.amount_expected, deposit ? row.destination_asset : row.source_asset),
    amount_in: amount(row.amount_in, row.amount_in_asset),
    amount_out: amount(row.amount_out, row.amount_out_asset),
    fee_details: row.fee_details ?? undefined,
    quote_id: row.quote_id ?? undefined,
    started_at: row.started_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: row.completed_at?.toISOString(),
    transfer_received_at: row.transfer_received_at?.toISOString(),
    user_action_required_by: row.user_action_required_by?.toISOString(),
    message: row.message ?? undefined,
    refunds: row.refunds ?? undefined,
    stellar_transactions: row.stellar_transaction_id ? [{ id: row.stellar_transaction_id }] : undefined,
    external_transaction_id: row.external_transaction_id ?? undefined,
    source_account: (deposit ? null : row.stellar_account) ?? undefined,
    destination_account: (deposit ? row.stellar_account : row.withdraw_anchor_account) ?? undefined,
    memo: (deposit ? row.memo : row.withdraw_memo) ?? undefined,
    memo_type: (deposit ? row.memo_type : row.withdraw_memo_type) ?? undefined,
    refund_memo: row.refund_memo ?? undefined,
    refund_memo_type: row.refund_memo_type ?? undefined,
    client_domain: row.client_domain ?? undefined,
    client_name: row.client_name ?? undefined,
    creator,
    customers: {
      sender: { id: row.customer_id ?? undefined, ...creator },
      ...(row.receiver_id === null ? {} : { receiver: { id: row.receiver_id } }),
    },
    claimable_balance_supported: row.claimable_balance_supported,
    lang: row.lang ?? undefined,
  }
}

function amount(value: string | null, asset: string | null): AmountOf | undefined {
  return value === null ? undefined : { amount: plainAmount(value), asset: asset ?? undefined }
}
