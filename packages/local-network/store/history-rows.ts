import { accountFields } from '../ledger/addresses.ts'
import type { Applied } from '../ledger/apply.ts'
import { ledgerId, operationId, transactionId } from '../ledger/order.ts'
import { feeOf } from '../ledger/validity.ts'
import type { Database } from './database.ts'

export interface ClosedLedger {
  readonly sequence: number
  readonly hash: Uint8Array
  readonly previousHash: Uint8Array
  /** Unix milliseconds. */
  readonly closedAt: number
  readonly feePool: bigint
}

export function writeLedger(
  database: Database,
  ledger: ClosedLedger,
  header: Uint8Array,
  transactions: readonly Applied[],
): void {
  const successful = transactions.filter(transaction => transaction.successful)
  database.run(
    'INSERT INTO ledgers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ledger.sequence,
    ledger.hash,
    ledger.previousHash,
    ledger.closedAt,
    successful.length,
    transactions.length - successful.length,
    operationCount(successful),
    operationCount(transactions),
    ledger.feePool,
    header,
  )
  for (const [place, transaction] of transactions.entries())
    writeTransaction(database, ledger.sequence, place + 1, transaction)
}

/** Deletes the history before a ledger, for an instance that keeps only the latest. */
export function deleteHistoryBefore(database: Database, ledger: number): void {
  const first = ledgerId(ledger)
  database.transaction(false, () => {
    database.run('DELETE FROM ledgers WHERE sequence < ?', ledger)
    for (const table of [
      'transactions',
      'operations',
      'transaction_accounts',
      'operation_accounts',
      'operation_balances',
    ])
      database.run(`DELETE FROM ${table} WHERE id < ?`, first)
  })
}

function operationCount(transactions: readonly Applied[]): number {
  return transactions.reduce((count, { incoming }) => count + incoming.operations.length, 0)
}

function writeTransaction(database: Database, ledger: number, place: number, applied: Applied): void {
  const { incoming, successful, feeCharged } = applied
  const id = transactionId(ledger, place)
  database.run(
    'INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    incoming.hash,
    incoming.feeBump ? incoming.txHash : null,
    ledger,
    successful ? 1 : 0,
    incoming.operations.length,
    feeCharged,
    feeOf(incoming).bid,
    incoming.envelope.toXdr(),
    applied.result.toXdr(),
    applied.meta,
    applied.feeMeta,
  )
  const involved = new Set([incoming.source, feeOf(incoming).source])
  for (const [index, { source, sourceAccount, operation }] of incoming.operations.entries()) {
    if (!operation) continue
    const operationKey = operationId(id, index)
    database.run(
      'INSERT INTO operations VALUES (?, ?, ?, ?, ?)',
      operationKey,
      id,
      successful ? 1 : 0,
      operation.moves ? 1 : 0,
      JSON.stringify({
        ...accountFields('source_account', sourceAccount),
        type: operation.type,
        type_i: operation.typeNumber,
        ...operation.record(sourceAccount),
      }),
    )
    const accounts = new Set([source, ...operation.affects])
    for (const account of accounts) {
      involved.add(account)
      database.run('INSERT INTO operation_accounts VALUES (?, ?)', account, operationKey)
    }
    const balance = balanceOf(applied, index)
    if (balance) database.run('INSERT INTO operation_balances VALUES (?, ?)', balance, operationKey)
  }
  for (const account of involved) database.run('INSERT INTO transaction_accounts VALUES (?, ?)', account, id)
}

/** The claimable balance an operation made, claimed or clawed back. */
function balanceOf({ incoming, result }: Applied, index: number): string | undefined {
  const body = incoming.operations[index]?.body
  if (body?.type === 'claimClaimableBalance') return body.claimClaimableBalanceOp.balanceId.toXdr('hex')
  if (body?.type === 'clawbackClaimableBalance') return body.clawbackClaimableBalanceOp.balanceId.toXdr('hex')
  if (body?.type !== 'createClaimableBalance') return undefined
  const whole =
    'innerResultPair' in result.result ? result.result.innerResultPair.result.result : result.result
  const made = 'results' in whole ? whole.results[index] : undefined
  if (made?.type !== 'opInner' || made.tr.type !== 'createClaimableBalance') return undefined
  const { createClaimableBalanceResult: outcome } = made.tr
  return outcome.type === 'createClaimableBalanceSuccess' ? outcome.balanceId.toXdr('hex') : undefined
}
