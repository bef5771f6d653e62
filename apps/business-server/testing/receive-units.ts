import { randomUUID } from 'node:crypto'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../deps.ts'
import { broughtUnits, type IncomingPayment } from '../payments/incoming-payment.ts'
import { receivePayment } from '../payments/receive-ledger-payment.ts'
import type { Transfer } from '../tables.ts'

/** Receives the units of a withdrawal, as if the ledger had been read: what was agreed, from the customer's account. */
export async function receiveUnits(
  deps: Deps,
  of: Pick<Transfer, 'ledger_memo' | 'amount'> & Partial<Pick<Transfer, 'stellar_account' | 'asset'>>,
  over: Partial<Pick<IncomingPayment, 'id' | 'hash' | 'sender' | 'closedAt'>> = {},
): Promise<void> {
  const sender = over.sender ?? of.stellar_account ?? ''
  const asset = servedAsset(deps.config.anchor, of.asset ?? null)
  const payment: IncomingPayment = {
    ...{ id: randomUUID(), hash: randomUUID().replaceAll('-', '').repeat(2), closedAt: new Date() },
    ...{ sender, returnTo: sender, ...broughtUnits(parseAmount(of.amount ?? ''), asset) },
    ...{ memo: of.ledger_memo, memoType: 'id', muxedId: null, ...over },
  }
  await deps.database.db.transaction().execute(tx => receivePayment(deps, tx, payment))
}
