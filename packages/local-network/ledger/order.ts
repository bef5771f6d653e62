/**
 * Ids that put all history in one order (SEP-35): 32 bits of ledger, 20 of the transaction's place in it, 12 of the
 * operation's place in that; places count from 1.
 */
export function transactionId(ledger: number, place: number): bigint {
  return (BigInt(ledger) << 32n) | (BigInt(place) << 12n)
}

export function operationId(transaction: bigint, index: number): bigint {
  return transaction | BigInt(index + 1)
}

export function ledgerId(ledger: number): bigint {
  return BigInt(ledger) << 32n
}

/** The ids of all that is in a ledger, or in a transaction, lie between these two. */
export function idsOfLedger(ledger: number): readonly [first: bigint, last: bigint] {
  return [ledgerId(ledger), ledgerId(ledger + 1) - 1n]
}

export function idsOfTransaction(transaction: bigint): readonly [first: bigint, last: bigint] {
  return [transaction, transaction | 0xfffn]
}

export function ledgerOf(id: bigint): number {
  return Number(id >> 32n)
}
