import { SignerKey, xdr } from '@stellar/stellar-sdk'
import { accountFields, accountIdOf } from '../ledger/addresses.ts'
import { idsOfLedger } from '../ledger/order.ts'
import { conditionsOf } from '../ledger/validity.ts'
import { base64, bytes, hex, integer, number } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { transactionLinks } from './links.ts'
import type { Page } from './paging.ts'
import { timeText } from './times.ts'

const columns = `t.id, t.hash, t.inner_hash, t.ledger, t.successful, t.operations, t.fee_charged, t.fee_bid,
  t.envelope, t.result, t.meta, t.fee_meta, l.closed_at`

export function transactionByHash(database: Database, hash: Uint8Array): Row | undefined {
  return database.row(
    `SELECT ${columns} FROM transactions t JOIN ledgers l ON l.sequence = t.ledger
     WHERE t.hash = ? OR t.inner_hash = ?`,
    hash,
    hash,
  )
}

interface TransactionScope {
  readonly account?: string
  readonly ledger?: number
  readonly balance?: string
  readonly pool?: string
  readonly includeFailed: boolean
}

export function transactionRows(
  database: Database,
  scope: TransactionScope,
  cursor: bigint,
  { order, limit }: Page,
): Row[] {
  const conditions = [order === 'asc' ? 't.id > ?' : 't.id < ?']
  const values: (string | number | bigint)[] = [cursor]
  let from = 'transactions t'
  if (scope.account !== undefined) {
    from = 'transaction_accounts a JOIN transactions t ON t.id = a.id'
    conditions[0] = order === 'asc' ? 'a.id > ?' : 'a.id < ?'
    conditions.push('a.account = ?')
    values.push(scope.account)
  }
  if (scope.ledger !== undefined) {
    conditions.push('t.id BETWEEN ? AND ?')
    values.push(...idsOfLedger(scope.ledger))
  }
  if (scope.balance !== undefined) {
    conditions.push(
      't.id IN (SELECT o.transaction_id FROM operation_balances b JOIN operations o ON o.id = b.id WHERE b.balance = ?)',
    )
    values.push(scope.balance)
  }
  if (scope.pool !== undefined) {
    conditions.push(
      't.id IN (SELECT o.transaction_id FROM operation_pools p JOIN operations o ON o.id = p.id WHERE p.pool = ?)',
    )
    values.push(scope.pool)
  }
  if (!scope.includeFailed) conditions.push('t.successful = 1')
  return database.rows(
    `SELECT ${columns} FROM ${from} JOIN ledgers l ON l.sequence = t.ledger
     WHERE ${conditions.join(' AND ')}
     ORDER BY ${scope.account === undefined ? 't.id' : 'a.id'} ${order} LIMIT ?`,
    ...values,
    limit,
  )
}

/**
 * Horizon's resource of a transaction.
 * @param asked the hash it was asked for by, when that may be the one inside a fee bump
 */
export function transactionRecord(row: Row, base: string, asked?: string) {
  const envelope = xdr.TransactionEnvelope.fromXdr(bytes(row['envelope']))
  const outer = hex(row['hash'])
  const hash = asked ?? outer
  const id = integer(row['id'])
  const ledger = number(row['ledger'])
  const { tx, signatures } = innerOf(envelope)
  const feeBump = envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump : undefined
  const feeSource = feeBump?.tx.feeSource ?? tx.sourceAccount
  const innerSigned = signatureTexts(signatures)
  const outerSigned = feeBump ? signatureTexts(feeBump.signatures) : innerSigned
  const { account_muxed, account_muxed_id } = accountFields('account', tx.sourceAccount)
  const createdAt = timeText(number(row['closed_at']))
  return {
    ...memoFields(tx.memo),
    _links: transactionLinks(base, hash, accountIdOf(tx.sourceAccount), ledger, id),
    id: hash,
    paging_token: id.toString(),
    successful: integer(row['successful']) === 1n,
    hash,
    ledger,
    created_at: createdAt,
    source_account: accountIdOf(tx.sourceAccount),
    ...(account_muxed && { account_muxed, account_muxed_id }),
    source_account_sequence: tx.seqNum.toString(),
    ...accountFields('fee_account', feeSource),
    fee_charged: integer(row['fee_charged']).toString(),
    max_fee: integer(row['fee_bid']).toString(),
    operation_count: number(row['operations']),
    envelope_xdr: base64(row['envelope']),
    result_xdr: base64(row['result']),
    result_meta_xdr: base64(row['meta']),
    fee_meta_xdr: base64(row['fee_meta']),
    signatures: hash === outer ? outerSigned : innerSigned,
    ...conditionFields(tx.cond, hasOldMeta(row)),
    ...(feeBump && {
      fee_bump_transaction: { hash: outer, signatures: outerSigned },
      inner_transaction: {
        hash: hex(row['inner_hash']),
        signatures: innerSigned,
        max_fee: tx.fee.toString(),
      },
    }),
  }
}

function innerOf(envelope: xdr.TransactionEnvelope): xdr.TransactionV1Envelope {
  if (envelope.type === 'envelopeTypeTx') return envelope.v1
  if (envelope.type === 'envelopeTypeTxFeeBump') return envelope.feeBump.tx.innerTx.v1
  throw new TypeError('envelopes are stored in their present form')
}

function signatureTexts(signatures: readonly xdr.DecoratedSignature[]): string[] {
  return signatures.map(({ signature }) => Buffer.from(signature.value).toString('base64'))
}

function memoFields(memo: xdr.Memo): Record<string, string> {
  const base64Of = (value: Uint8Array) => Buffer.from(value).toString('base64')
  switch (memo.type) {
    case 'memoNone':
      return { memo_type: 'none' }
    case 'memoText':
      return {
        memo_type: 'text',
        memo: Buffer.from(memo.text.bytes).toString('utf8'),
        memo_bytes: base64Of(memo.text.bytes),
      }
    case 'memoId':
      return { memo_type: 'id', memo: memo.id.toString() }
    case 'memoHash':
      return { memo_type: 'hash', memo: base64Of(memo.hash.value) }
    case 'memoReturn':
      return { memo_type: 'return', memo: base64Of(memo.retHash.value) }
  }
}

/** Whether the meta is of protocol 19, by the version of its union. */
const hasOldMeta = (row: Row): boolean => bytes(row['meta'])[3] === 2

function conditionFields(cond: xdr.Preconditions, isOlder: boolean): Record<string, unknown> {
  if (cond.type === 'precondNone') return {}
  const { timeBounds, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } = conditionsOf(cond)
  const bound = (time: bigint | undefined) =>
    time !== undefined && time <= 253_402_300_799n ? timeText(Number(time) * 1000) : undefined
  const after = bound(timeBounds?.minTime)
  const before = bound(timeBounds?.maxTime || undefined)
  return {
    // Removed from later Horizons.
    ...(isOlder && after && { valid_after: after }),
    ...(isOlder && before && { valid_before: before }),
    preconditions: {
      ...(timeBounds && {
        timebounds: {
          min_time: timeBounds.minTime.toString(),
          ...(timeBounds.maxTime && { max_time: timeBounds.maxTime.toString() }),
        },
      }),
      ...(ledgerBounds && {
        ledgerbounds: {
          min_ledger: ledgerBounds.minLedger,
          ...(ledgerBounds.maxLedger && { max_ledger: ledgerBounds.maxLedger }),
        },
      }),
      ...(minSeqNum !== null && { min_account_sequence: minSeqNum.toString() }),
      ...(minSeqAge && { min_account_sequence_age: minSeqAge.toString() }),
      ...(minSeqLedgerGap && { min_account_sequence_ledger_gap: minSeqLedgerGap }),
      ...(extraSigners.length > 0 && {
        extra_signers: extraSigners.map(signer => SignerKey.encodeSignerKey(signer)),
      }),
    },
  }
}
