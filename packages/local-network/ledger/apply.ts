import { StrKey, xdr } from '@stellar/stellar-sdk'
import { putSigners, releaseSigner } from '../operations/reserves.ts'
import { ledgerEntryChanges } from './entry-xdr.ts'
import type { Incoming, IncomingOperation } from './envelope.ts'
import { feeBumpResult, operationSucceeded, transactionResult, type Outcome } from './results.ts'
import type { Change, LedgerState } from './state.ts'
import { chargedFee, feeOf, rejection, type OpenHeader } from './validity.ts'

/** A transaction that is in the ledger, whether its operations held or not. */
export interface Applied {
  readonly applied: true
  readonly incoming: Incoming
  readonly successful: boolean
  readonly feeCharged: bigint
  readonly result: xdr.TransactionResult
  readonly feeMeta: Uint8Array
  readonly meta: Uint8Array
  /** What each operation changed; nothing when the transaction failed. */
  readonly changes: readonly (readonly Change[])[]
}

export interface Rejected {
  readonly applied: false
  readonly result: xdr.TransactionResult
}

/**
 * Puts a transaction into the open ledger. One that breaks a rule of validity changes nothing; any other pays its
 * fee and uses its sequence, and its operations take effect together or not at all.
 */
export function applyTransaction(
  incoming: Incoming,
  ledger: LedgerState,
  header: OpenHeader,
): Applied | Rejected {
  const fee = { ...feeOf(incoming), charged: chargedFee(incoming, header.feePrice) }
  const rejected = rejection(incoming, ledger, header)
  if (rejected)
    return {
      applied: false,
      result:
        incoming.feeBump && rejected.by === 'transaction'
          ? feeBumpResult(rejected.outcome, incoming.txHash, fee.charged)
          : transactionResult(rejected.outcome, fee.charged),
    }

  const whole = ledger.layer(new Map())
  const feeChanges = inLayer(whole, state => {
    const payer = state.account(fee.source)
    if (payer) state.put({ ...payer, balance: payer.balance - fee.charged })
  })
  const before = inLayer(whole, state => {
    const source = state.account(incoming.source)
    if (source)
      state.put({
        ...source,
        sequence: incoming.tx.seqNum,
        sequenceLedger: header.sequence,
        sequenceTime: header.closeTime,
      })
    removeSpentSigners(incoming, state)
  })
  const { outcome, changes } = applyOperations(incoming, whole, header)
  whole.commitTo(ledger)
  return {
    applied: true,
    incoming,
    successful: outcome.code === 'txSuccess',
    feeCharged: fee.charged,
    result: incoming.feeBump
      ? feeBumpResult(outcome, incoming.txHash, fee.charged)
      : transactionResult(outcome, fee.charged),
    feeMeta: xdr.encodeArray(xdr.LedgerEntryChange, feeChanges),
    meta: transactionMeta(header.protocol, before, changes.map(ledgerEntryChanges)).toXdr(),
    changes,
  }
}

/** Meta in the version of a protocol: 2 before contracts, 3 from protocol 20 on, 4 from 23 on. */
function transactionMeta(
  protocol: number,
  txChangesBefore: xdr.LedgerEntryChange[],
  operations: readonly xdr.LedgerEntryChange[][],
): xdr.TransactionMeta {
  const ext = xdr.ExtensionPoint.v0()
  const around = { txChangesBefore, txChangesAfter: [] }
  if (protocol >= 23)
    return xdr.TransactionMeta.v4(
      new xdr.TransactionMetaV4({
        ...around,
        ext,
        operations: operations.map(changes => new xdr.OperationMetaV2({ ext, changes, events: [] })),
        sorobanMeta: null,
        events: [],
        diagnosticEvents: [],
      }),
    )
  const older = { ...around, operations: operations.map(changes => new xdr.OperationMeta({ changes })) }
  return protocol >= 20
    ? xdr.TransactionMeta.v3(new xdr.TransactionMetaV3({ ...older, ext, sorobanMeta: null }))
    : xdr.TransactionMeta.v2(new xdr.TransactionMetaV2(older))
}

function inLayer(below: LedgerState, change: (state: LedgerState) => void): xdr.LedgerEntryChange[] {
  const layer = below.layer()
  change(layer)
  const changes = ledgerEntryChanges(layer.changes())
  layer.commitTo(below)
  return changes
}

/** Every operation is tried, also after one has failed, so that the result has a code for each. */
function applyOperations(
  incoming: Incoming,
  whole: LedgerState,
  header: OpenHeader,
): { outcome: Outcome; changes: Change[][] } {
  const all = whole.layer()
  const results: xdr.OperationResult[] = []
  const changes: Change[][] = []
  for (const [index, operation] of incoming.operations.entries()) {
    const layer = all.layer()
    const result = applyOperation(operation, index, incoming, layer, header)
    results.push(result)
    if (!operationSucceeded(result)) continue
    changes.push(layer.changes())
    layer.commitTo(all)
  }
  if (!results.every(operationSucceeded))
    return { outcome: { code: 'txFailed', operations: results }, changes: [] }
  if (all.sponsorships.size > 0) return { outcome: { code: 'txBadSponsorship' }, changes: [] }
  all.commitTo(whole)
  return { outcome: { code: 'txSuccess', operations: results }, changes }
}

function applyOperation(
  { operation, source }: IncomingOperation,
  index: number,
  { source: transactionSource, tx }: Incoming,
  state: LedgerState,
  header: OpenHeader,
): xdr.OperationResult {
  if (!operation) return xdr.OperationResult.opNotSupported()
  if (!state.account(source)) return xdr.OperationResult.opNoAccount()
  const outcome = operation.apply({
    state,
    source,
    ledger: header,
    transaction: {
      source: transactionSource,
      sequence: tx.seqNum,
      footprint: tx.ext.type === 'sorobanData' ? tx.ext.sorobanData.resources.footprint : undefined,
    },
    index,
  })
  return typeof outcome === 'string' ? xdr.OperationResult[outcome]() : xdr.OperationResult.opInner(outcome)
}

/** A signer that is the hash of this very transaction serves once. */
function removeSpentSigners(incoming: Incoming, state: LedgerState): void {
  const spent = new Set([StrKey.encodePreAuthTx(incoming.txHash), StrKey.encodePreAuthTx(incoming.hash)])
  const sources = new Set([incoming.source, ...incoming.operations.map(({ source }) => source)])
  if (incoming.feeBump) sources.add(incoming.feeBump.source)
  for (const id of sources) {
    const account = state.account(id)
    if (!account) continue
    const used = account.signers.filter(({ key }) => spent.has(key))
    if (used.length === 0) continue
    for (const signer of used) releaseSigner(state, id, signer)
    putSigners(
      state,
      id,
      account.signers.filter(signer => !used.includes(signer)),
    )
  }
}
