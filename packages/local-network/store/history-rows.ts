import { SignerKey, type xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import type { Applied } from '../ledger/apply.ts'
import { ledgerId, operationId, transactionId } from '../ledger/order.ts'
import { crossingsOf, operationResults } from '../ledger/results.ts'
import type { Change } from '../ledger/state.ts'
import { feeOf, resourceFeeOf } from '../ledger/validity.ts'
import type { Database } from './database.ts'
import { tradesOf, writeTrades } from './trade-rows.ts'

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
  const trades = transactions.flatMap((transaction, place) =>
    transaction.successful ? tradesOf(transaction, transactionId(ledger.sequence, place + 1)) : [],
  )
  if (trades.length > 0) writeTrades(database, trades, ledger.closedAt)
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
      'operation_pools',
      'effect_accounts',
      'trades',
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
    'INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
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
    resourceFeeOf(incoming),
  )
  const involved = new Set([incoming.source, feeOf(incoming).source, ...accountsChanged(applied)])
  const results = operationResults(applied.result)
  for (const [index, each] of incoming.operations.entries()) {
    const { source, sourceAccount, operation, body } = each
    if (!operation) continue
    const operationKey = operationId(id, index)
    const changes = applied.changes[index] ?? []
    const ending = {
      result: results[index],
      changes,
      earlier: successful ? incoming.operations.slice(0, index) : [],
    }
    const sponsor = sponsorOf(body, changes)
    const record = operation.record(sourceAccount, ending)
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
        ...(sponsor && { sponsor }),
        ...record,
      }),
    )
    const accounts = new Set([source, ...operation.affects])
    if (sponsor) accounts.add(sponsor)
    if (typeof record['begin_sponsor'] === 'string') accounts.add(record['begin_sponsor'])
    for (const account of accounts) {
      involved.add(account)
      database.run('INSERT INTO operation_accounts VALUES (?, ?)', account, operationKey)
    }
    // Who has an offer taken sees that among its effects, not among its operations.
    for (const account of sellersIn(results[index]))
      if (successful && !accounts.has(account))
        database.run('INSERT OR IGNORE INTO effect_accounts VALUES (?, ?)', account, operationKey)
    for (const balance of balancesOf(body, results[index], changes))
      database.run('INSERT OR IGNORE INTO operation_balances VALUES (?, ?)', balance, operationKey)
    for (const pool of poolsOf(body, changes))
      database.run('INSERT OR IGNORE INTO operation_pools VALUES (?, ?)', pool, operationKey)
  }
  for (const account of involved) database.run('INSERT INTO transaction_accounts VALUES (?, ?)', account, id)
}

function sellersIn(result: xdr.OperationResult | undefined): string[] {
  if (!result) return []
  return crossingsOf(result).claims.flatMap(claim =>
    claim.type === 'claimAtomTypeOrderBook' ? accountIdOf(claim.orderBook.sellerId) : [],
  )
}

/** A transaction is in the history of every account that its operations changed. */
function accountsChanged({ changes }: Applied): string[] {
  return changes
    .flat()
    .map(({ before, after }) => after ?? before)
    .flatMap(entry => (entry?.kind === 'account' ? entry.id : []))
}

/** Who pays the reserve of what an operation has made: of its signer, or of the first entry that has a sponsor. */
function sponsorOf(body: xdr.OperationBody, changes: readonly Change[]): string | undefined {
  const signer = body.type === 'setOptions' ? body.setOptionsOp.signer : null
  const key = signer && SignerKey.encodeSignerKey(signer.key)
  for (const { before, after } of changes) {
    const sponsored =
      after?.kind === 'account' ? after.signers.find(each => each.key === key)?.sponsor : undefined
    const earlier =
      before?.kind === 'account' ? before.signers.find(each => each.key === key)?.sponsor : undefined
    if (sponsored && sponsored !== earlier) return sponsored
    if (!before && after && 'sponsor' in after && after.sponsor) return after.sponsor
  }
  return undefined
}

/** The claimable balances an operation made, claimed, clawed back or sponsored. */
function balancesOf(
  body: xdr.OperationBody,
  result: xdr.OperationResult | undefined,
  changes: readonly Change[],
): string[] {
  const changed = changes
    .map(({ before, after }) => after ?? before)
    .flatMap(entry => (entry?.kind === 'claimable-balance' ? entry.id : []))
  if (body.type === 'claimClaimableBalance')
    return [...changed, body.claimClaimableBalanceOp.balanceId.toXdr('hex')]
  if (body.type === 'clawbackClaimableBalance')
    return [...changed, body.clawbackClaimableBalanceOp.balanceId.toXdr('hex')]
  const made =
    result?.type === 'opInner' && result.tr.type === 'createClaimableBalance' ? result.tr.value : undefined
  return made?.type === 'createClaimableBalanceSuccess' ? [...changed, made.balanceId.toXdr('hex')] : changed
}

/** The liquidity pools an operation names or has changed. */
function poolsOf(body: xdr.OperationBody, changes: readonly Change[]): string[] {
  const changed = changes
    .map(({ before, after }) => after ?? before)
    .flatMap(entry => (entry?.kind === 'liquidity-pool' ? entry.id : []))
  const id =
    body.type === 'liquidityPoolDeposit'
      ? body.liquidityPoolDepositOp.liquidityPoolId
      : body.type === 'liquidityPoolWithdraw'
        ? body.liquidityPoolWithdrawOp.liquidityPoolId
        : undefined
  return id ? [...changed, Buffer.from(id.value).toString('hex')] : changed
}
