import type { Fees } from '../ledger/ledger.ts'
import { operationCapacity } from '../ledger/header.ts'
import { ledgerId } from '../ledger/order.ts'
import { integer, number } from '../store/columns.ts'
import type { Database } from '../store/database.ts'

const ledgersCounted = 5
const percentiles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const

/** What operations of the last five ledgers have bid and paid, in stroops. */
export function feeStats(database: Database, latestLedger: number, { base, price }: Fees) {
  const rows = database.rows(
    `SELECT fee_charged - resource_fee AS fee_charged, fee_bid - resource_fee AS fee_bid, operations,
       inner_hash IS NOT NULL AS bump FROM transactions WHERE id >= ?`,
    ledgerId(latestLedger - ledgersCounted + 1),
  )
  // Ledgers that are full hold nothing below the price of the moment.
  const atLeastPrice = (fee: bigint) => (fee < price ? price : fee)
  const perOperation = (column: string) =>
    rows.map(row => atLeastPrice(integer(row[column]) / (integer(row['operations']) + integer(row['bump']))))
  const used = database.row(
    'SELECT COALESCE(SUM(set_operations), 0) AS used FROM ledgers WHERE sequence > ?',
    latestLedger - ledgersCounted,
  )
  const capacity = operationCapacity * ledgersCounted
  const usage = Math.min(1, (used ? number(used['used']) : 0) / capacity)
  return {
    last_ledger: String(latestLedger),
    last_ledger_base_fee: base.toString(),
    ledger_capacity_usage: price > base ? '1' : String(Number(usage.toFixed(2))),
    fee_charged: distribution(perOperation('fee_charged'), price),
    max_fee: distribution(perOperation('fee_bid'), price),
  }
}

function distribution(fees: readonly bigint[], price: bigint): Record<string, string> {
  const sorted = fees.length > 0 ? fees.toSorted((a, b) => (a < b ? -1 : 1)) : [price]
  const at = (percent: number) =>
    (sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? price).toString()
  return {
    max: at(100),
    min: at(0),
    mode: mode(sorted, price).toString(),
    ...Object.fromEntries(percentiles.map(percent => [`p${percent}`, at(percent)])),
  }
}

function mode(fees: readonly bigint[], price: bigint): bigint {
  const counts = new Map<bigint, number>()
  for (const fee of fees) counts.set(fee, (counts.get(fee) ?? 0) + 1)
  let best = price
  for (const [fee, count] of counts) if (count > (counts.get(best) ?? 0)) best = fee
  return best
}
