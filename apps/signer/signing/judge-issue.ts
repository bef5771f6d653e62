import { Asset, type OperationRecord } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import { MEMO_REQUIRED } from '@windlass/stellar/horizon-account.ts'
import { Refusal } from './refusal.ts'
import { servedAssets } from './served-assets.ts'
import { readTransaction, requireSource, type Rules, type UsedSequence } from './transactions.ts'

/**
 * Judges what the control plane asks for: the transaction that opens the distribution account's trustlines, issues the
 * first asset to it unless it exists already, requires memos and sets home domains, or a fee bump of it. Throws
 * {@link Refusal}.
 */
export function judgeIssue(envelope: string, rules: Rules): { hash: Buffer; uses: UsedSequence } {
  const { accounts, terms } = rules
  const source = terms.issuer === undefined ? accounts.issuer : accounts.distribution
  const { transaction, hash, uses } = readTransaction(envelope, rules, {
    payer: accounts.distribution,
    signer: source,
  })
  requireSource(transaction, source)
  const kinds = transaction.operations.map(operation => requireIssuing(operation, source, rules))
  if (kinds.filter(kind => kind === 'payment').length > 1) {
    throw new Refusal('wrong-operation', 'The asset was to be issued twice in one transaction.')
  }
  return { hash, uses }
}

/** Limit of a trustline that has none. */
const NO_LIMIT = 2n ** 63n - 1n

function requireIssuing(
  operation: OperationRecord,
  transactionSource: string,
  rules: Rules,
): OperationRecord['type'] {
  const { accounts, terms } = rules
  const asset = ledgerAssetOf({ code: terms.assetCode, issuer: accounts.issuer })
  const source = operation.source ?? transactionSource
  const issuing = terms.issuer === undefined ? accounts.issuer : null
  const own = source === issuing || source === accounts.distribution
  const allowed =
    (operation.type === 'changeTrust' &&
      source === accounts.distribution &&
      operation.line instanceof Asset &&
      // A lower limit, or none, would keep the asset from coming in.
      parseAmount(operation.limit) === NO_LIMIT &&
      servedAssets(rules).some(served => served.asset.equals(operation.line as Asset))) ||
    (operation.type === 'payment' &&
      source === issuing &&
      operation.asset.equals(asset) &&
      operation.destination === accounts.distribution &&
      parseAmount(operation.amount) <= parseAmount(terms.issued)) ||
    (operation.type === 'manageData' &&
      source === accounts.distribution &&
      operation.name === MEMO_REQUIRED &&
      isYes(operation.value)) ||
    (operation.type === 'setOptions' && own && setsHomeDomainAlone(operation, terms.homeDomain))
  if (!allowed) {
    throw new Refusal('wrong-operation', `${operation.type} is not a step by which the asset is issued.`)
  }
  return operation.type
}

const isYes = (value: Uint8Array | undefined): boolean => Buffer.from(value ?? []).toString() === '1'

function setsHomeDomainAlone(
  operation: Extract<OperationRecord, { type: 'setOptions' }>,
  homeDomain: string,
): boolean {
  const { type: _, source: __, homeDomain: domain, ...others } = operation
  return domain === homeDomain && Object.values(others).every(value => value === undefined)
}
