import { type Asset, type Memo, xdr } from '@stellar/stellar-sdk/base'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import { baseAccount, muxedParts } from './addresses.ts'
import { readTransfer, type ContractTransfer } from './asset-contract.ts'
import type { LedgerDocument, PaymentRecord, TransactionDocument } from './horizon.ts'
import { readEnvelope, type Envelope, type EnvelopeOperation } from './read-envelope.ts'

/**
 * What an answer of Horizon contradicts in itself (docs/adr/0108). Horizon sends the ledger's own bytes beside what it
 * says of them: the signed envelope, whose hash is the transaction's, the result, and a ledger's header.
 */
class Contradiction extends Error {}

const require = (holds: boolean, what: string): void => {
  if (!holds) throw new Contradiction(what)
}

/** What is wrong with an answer, in words for an operator; null: nothing. */
const faultIn = (check: () => void): string | null => {
  try {
    check()
    return null
  } catch (error) {
    return error instanceof Contradiction ? error.message : `cannot be read: ${(error as Error).message}`
  }
}

interface Proven {
  envelope: Envelope
  results: readonly xdr.OperationResult[]
}

/** The ledger's own bytes (base64 XDR) of a transaction, and what is said of them. */
type Outcome = Pick<TransactionDocument, 'hash' | 'successful' | 'envelope_xdr' | 'result_xdr'>

/** What the hash and the outcome of a transaction contradict; null: nothing. */
export const faultOfOutcome = (outcome: Outcome, passphrase: string): string | null =>
  faultIn(() => void proveOutcome(outcome, passphrase))

/** What the operation at a place of a proven transaction paid (base64 XDR); null: nothing. */
export function paymentIn(
  given: { hash: string; successful: boolean; envelope: string; result: string },
  index: number,
  passphrase: string,
): { destination: string; asset: Asset; amount: string } | ContractTransfer | null {
  const { hash, successful, envelope: envelope_xdr } = given
  const pair = xdr.TransactionResultPair.fromXdr(given.result, 'base64')
  const result_xdr = pair.result.toXdr('base64')
  const { envelope, results } = proveOutcome({ hash, successful, envelope_xdr, result_xdr }, passphrase)
  const operation = envelope.operations[index]
  return operation ? (paidBy(operation, results[index]) ?? transferIn(operation)) : null
}

/** What an operation transfers by calling a contract's `transfer`; null: it does something else. */
export const transferIn = (operation: EnvelopeOperation): ContractTransfer | null =>
  operation.type === 'invokeHostFunction' ? readTransfer(operation.read()) : null

/** What a transaction paid, operation by operation, and its memo, by its bytes. Throws where they contradict its hash or outcome. */
export function paymentsIn(
  outcome: Outcome,
  passphrase: string,
): {
  memo: Memo
  payments: ({ from: string; to: string; asset: Asset; amount: bigint } | ContractTransfer)[]
} {
  const { envelope, results } = proveOutcome(outcome, passphrase)
  const payments = envelope.operations.flatMap((operation, index) => {
    const paid = paidBy(operation, results[index])
    if (!paid) return transferIn(operation) ?? []
    const { destination: to, asset, amount } = paid
    return { from: operation.source, to, asset, amount: parseAmount(amount) }
  })
  return { memo: envelope.memo, payments }
}

function proveOutcome(
  { hash, successful, envelope_xdr, result_xdr }: Outcome,
  passphrase: string,
): Proven & { feeCharged: bigint } {
  const envelope = readEnvelope(envelope_xdr, passphrase)
  const { hash: outer, innerHash: inner } = envelope
  require(hash === outer || hash === inner, 'the hash is not that of the envelope')
  const { result, feeCharged } = xdr.TransactionResult.fromXdr(Buffer.from(result_xdr, 'base64'))
  const pair = 'innerResultPair' in result ? result.innerResultPair : null
  require((pair !== null) === (outer !== inner), 'the result is not of such a transaction')
  if (pair) {
    const of = Buffer.from(pair.transactionHash.value).toString('hex')
    require(of === inner, 'the result is of another transaction')
  }
  const whole = pair ? pair.result.result : result
  require((whole.type === 'txSuccess') === successful, 'the outcome is not that of the result')
  return { envelope, feeCharged, results: 'results' in whole ? whole.results : [] }
}

/** The transaction of a document whose hash, source and outcome are those of its envelope and result. */
function prove(document: TransactionDocument, passphrase: string): Proven {
  const { envelope, results, feeCharged } = proveOutcome(document, passphrase)
  require(baseAccount(envelope.source) === document.source_account, 'the source is not that of the envelope')
  require(envelope.sequence ===
    document.source_account_sequence, 'the sequence number is not that of the envelope')
  require(ledgerOf(document.paging_token) === document.ledger, 'the paging token is of another ledger')
  require(String(feeCharged) === String(document.fee_charged), 'the fee is not that of the result')
  return { envelope, results }
}

/** Whether the bytes of a transaction cannot be read at all, so that nothing contradicts them either. */
export function isUnreadable(document: TransactionDocument, passphrase: string): boolean {
  try {
    prove(document, passphrase)
    return false
  } catch (error) {
    return !(error instanceof Contradiction)
  }
}

/** What a transaction contradicts in itself; null: nothing. */
export const faultOfTransaction = (document: TransactionDocument, passphrase: string): string | null =>
  faultIn(() => void prove(document, passphrase))

/** What a ledger contradicts in itself: its hash is that of its header. Null: nothing. */
export const faultOfLedger = ({ header_xdr, hash, sequence, closed_at }: LedgerDocument): string | null =>
  faultIn(() => {
    const bytes = Buffer.from(header_xdr, 'base64')
    const { ledgerSeq, scpValue } = xdr.LedgerHeader.fromXdr(bytes)
    require(createHash('sha256').update(bytes).digest('hex') === hash, 'the hash is not that of the header')
    require(ledgerSeq === sequence, 'the number is not that of the header')
    const seconds = Math.floor(Date.parse(closed_at) / 1_000)
    require(Number(scpValue.closeTime) === seconds, 'the time is not that of the header')
  })

export const isTime = (text: unknown): boolean =>
  /^\d{4}-\d\d-\d\dT/.test(String(text)) && !Number.isNaN(Date.parse(String(text)))

/** Compares payments of one page: each transaction is decoded once. */
export function paymentChecker(passphrase: string): (record: Omit<PaymentRecord, 'fault'>) => string | null {
  const known = new Map<string, Proven>()
  return record =>
    faultIn(() => {
      const { transaction: document, transaction_hash: hash } = record
      if (!document) throw new Contradiction('it has no transaction')
      require(document.hash === hash, 'the transaction is another one')
      const key = JSON.stringify(document)
      const proven = known.get(key) ?? prove(document, passphrase)
      known.set(key, proven)
      // A fee bump has two hashes: Horizon names payments by its own.
      require(proven.envelope.hash === hash, 'the hash is not that of the envelope')
      require(record.transaction_successful === document.successful, 'the outcome is not that of the result')
      require(record.id === record.paging_token, 'the id is not the paging token')
      require(isTime(record.created_at), 'its time cannot be read')
      const index = operationIndex(record.id)
      const place = BigInt(record.id) - BigInt(index + 1)
      require(place === BigInt(document.paging_token), 'the id is of another transaction')
      const operation = proven.envelope.operations[index]
      if (!operation) throw new Contradiction('the envelope has no such operation')
      require(snakeCase(operation.type) === record.type, 'the type is not that of the operation')
      requireSameMemo(document, proven.envelope.memo)
      if (document.successful) requireSamePayment(record, operation, proven.results[index])
    })
}

function requireSamePayment(
  record: Omit<PaymentRecord, 'fault'>,
  operation: EnvelopeOperation,
  result: xdr.OperationResult | undefined,
): void {
  const paid = paidBy(operation, result)
  if (!paid) return
  const { source } = operation
  require(record.from === baseAccount(source), 'the source is not that of the operation')
  require(record.from_muxed ===
    (muxedParts(source) ? source : undefined), 'the source is not that of the operation')
  const { destination, asset, amount } = paid
  require(record.to === baseAccount(destination), 'the destination is not that of the operation')
  require(record.to_muxed_id === muxedParts(destination)?.id, 'the destination is not that of the operation')
  const native = record.asset_type === 'native'
  const sameAsset = asset.isNative()
    ? native
    : !native && record.asset_code === asset.code && record.asset_issuer === asset.issuer
  require(sameAsset, 'the asset is not that of the operation')
  require(parseAmount(record.amount ?? '') === parseAmount(amount), 'the amount is not that of the operation')
}

const PAYING: ReadonlySet<string> = new Set(['payment', 'pathPaymentStrictReceive', 'pathPaymentStrictSend'])

/** What the destination of a payment got; null: the operation is none. */
function paidBy(
  { type, read }: EnvelopeOperation,
  result: xdr.OperationResult | undefined,
): { destination: string; asset: Asset; amount: string } | null {
  const operation = PAYING.has(type) ? read() : null
  switch (operation?.type) {
    case 'payment':
      return operation
    case 'pathPaymentStrictReceive': {
      const { destination, destAsset: asset, destAmount: amount } = operation
      return { destination, asset, amount }
    }
    case 'pathPaymentStrictSend': {
      const got = result?.type === 'opInner' ? result.tr.value : null
      if (got?.type !== 'pathPaymentStrictSendSuccess')
        throw new Contradiction('the result is of another operation')
      const { destination, destAsset: asset } = operation
      return { destination, asset, amount: formatAmount(amountOf(got.success.last.amount)) }
    }
    default:
      return null
  }
}

function requireSameMemo(document: TransactionDocument, { type, value }: Memo): void {
  const said = document.memo ?? ''
  const same =
    type === document.memo_type && (type === 'text' ? isSameText(said, value) : said === textOf(type, value))
  require(same, 'the memo is not that of the envelope')
}

const textOf = (type: string, value: Memo['value']): string => {
  if (value === null) return ''
  return type === 'id' ? String(value) : Buffer.from(value as Uint8Array).toString('base64')
}

/** Horizon replaces what is no UTF-8, by another count of characters than Node, and drops NUL. */
const isSameText = (said: string, value: Memo['value']): boolean => {
  const plain = (text: string) => text.replaceAll(/[\0\u{FFFD}]/gu, '')
  const text = typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString()
  return plain(text) === text ? said === text : plain(said) === plain(text)
}

/** The hash of an envelope (base64 XDR); of a fee bump, its own. */
export const hashOf = (envelope: string, passphrase: string): string =>
  readEnvelope(envelope, passphrase).hash

/** The hash of what is wrapped by an envelope (base64 XDR) of a fee bump; of another, its own. */
export const innerHashOf = (envelope: string, passphrase: string): string =>
  readEnvelope(envelope, passphrase).innerHash

/** As {@link innerHashOf}; null: it is no fee bump. */
export const hashInside = (envelope: string, passphrase: string): string | null =>
  // The type of the envelope is its first four bytes: few have to be decoded.
  Buffer.from(envelope.slice(0, 8), 'base64')[3] === FEE_BUMP ? innerHashOf(envelope, passphrase) : null

const FEE_BUMP = 5

const snakeCase = (type: string): string => type.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** A paging token starts with its ledger's number, times 2³². */
export const ledgerOf = (token: string): number => Number(BigInt(token) >> 32n)

/** The place of a payment in its transaction, by its id: operations are numbered from 1 in the last 12 bits. */
export const operationIndex = (id: string): number => Number(BigInt(id) & 0xfffn) - 1
