import type { OperationRecord, Transaction } from '@stellar/stellar-sdk/base'
import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { PAYS_NOTHING, type Paid } from './payments.ts'
import { Refusal } from './refusal.ts'
import { requireSource } from './transactions.ts'

/** XLM that a channel takes of the distribution account's reserve, until it is closed. */
const CHANNEL_RESERVE = parseAmount('1.5')
const OPENING = [
  'beginSponsoringFutureReserves',
  'createAccount',
  'setOptions',
  'endSponsoringFutureReserves',
]

/** New accounts without XLM for which only the distribution account's key can sign. An open channel may give the sequence number. */
export function readOpening({ source, operations }: Transaction, distribution: string): Paid {
  const channels = operations.length / OPENING.length
  for (const [index, operation] of operations.entries()) {
    const at = index % OPENING.length
    const begun = operations[index - at]
    const channel = begun?.type === 'beginSponsoringFutureReserves' ? begun.sponsoredId : ''
    if (
      operation.type !== OPENING[at] ||
      !opens(operation, operation.source ?? source, { channel, distribution })
    ) {
      throw new Refusal('wrong-operation', `${operation.type} is not a step by which a channel is opened.`)
    }
  }
  if (!Number.isInteger(channels)) throw new Refusal('wrong-operation', 'A channel was to be opened in part.')
  return { amount: amountOf(CHANNEL_RESERVE * BigInt(channels)), asset: 'xlm', isClaimable: false }
}

function opens(
  operation: OperationRecord,
  by: string,
  { channel, distribution }: Record<'channel' | 'distribution', string>,
): boolean {
  switch (operation.type) {
    case 'beginSponsoringFutureReserves':
      return by === distribution && channel !== distribution
    case 'createAccount':
      return (
        by === distribution && operation.destination === channel && Number(operation.startingBalance) === 0
      )
    case 'setOptions':
      return by === channel && givesKeyTo(operation, distribution)
    default:
      return by === channel
  }
}

/** Whether a channel can afterwards be closed by this account's key, and by no other. */
function givesKeyTo(options: Extract<OperationRecord, { type: 'setOptions' }>, account: string): boolean {
  const { signer, masterWeight, lowThreshold, medThreshold, highThreshold, setFlags } = options
  const key = signer && 'ed25519PublicKey' in signer && signer.weight === 1 ? signer.ed25519PublicKey : null
  const thresholds = [lowThreshold, medThreshold, highThreshold]
  return (
    key === account &&
    masterWeight === 0 &&
    thresholds.every(threshold => threshold === undefined || threshold === 1) &&
    setFlags === undefined
  )
}

/** Frees the reserves of channels. The distribution account itself is never closed. */
export function readClosing(transaction: Transaction, distribution: string): Paid {
  requireSource(transaction, distribution)
  for (const operation of transaction.operations) {
    const isChannel = operation.source !== undefined && operation.source !== distribution
    if (operation.type !== 'accountMerge' || !isChannel || operation.destination !== distribution) {
      throw new Refusal('wrong-operation', `${operation.type} is not a step by which a channel is closed.`)
    }
  }
  return PAYS_NOTHING
}
