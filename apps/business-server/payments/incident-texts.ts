import type { LedgerIncident, TransferState } from '../tables.ts'

/** How an incident ended by itself. */
export type EndedAs = NonNullable<LedgerIncident['ended_as']>

type Described = Pick<LedgerIncident, 'kind' | 'details'>

/** What happened and what to do, in English, for the API; consoles say it in the reader's language. */
export const describeIncident = ({ kind, details }: Described): string => sentences[kind](details)

type Sentence = (details: LedgerIncident['details']) => string

const historyGap: Sentence = details => {
  const { lastRead, elder, further = [], withdrawals = [], ...first } = details as unknown as GapDetails
  const gone = `Horizon no longer has the ledgers ${lastRead + 1} to ${elder - 1}.`
  if (first.difference === undefined) return `${gone} The missing amount is being determined.`
  const held = [first, ...further]
    .filter(({ difference }) => difference !== '0')
    .map(({ asset = '', actual, difference }) => {
      const code = asset.split(':')[0]
      return `${actual} ${code}, ${difference} ${code} more than recorded`
    })
  const waiting =
    withdrawals.length > 0
      ? ` It may be the payment of ${withdrawals.length} open withdrawals (in \`details.withdrawals\`).`
      : ''
  return (
    `${gone} The distribution account holds ${held.join('; ')}.${waiting} Find these payments in a full history, return ` +
    'or credit them, then resolve the incident.'
  )
}

interface GapDetails extends GapOfAsset {
  lastRead: number
  elder: number
  further?: GapOfAsset[]
  withdrawals?: object[]
}
interface GapOfAsset {
  asset?: string
  actual?: string
  difference?: string
}

/** By what the second source says. */
const SHOWN_BY_ONE = {
  applied: 'the second source of the ledger shows it as applied, which Horizon does not',
  missing: 'Horizon shows it as applied, which the second source of the ledger does not',
  differs:
    'Horizon shows it as applied, and the second source of the ledger shows it with another result, place or time',
  gone: 'Horizon shows it as applied in a ledger that the second source no longer has, and someone else who was asked does not',
}

const isShownByOne = (said: unknown): said is keyof typeof SHOWN_BY_ONE =>
  typeof said === 'string' && Object.hasOwn(SHOWN_BY_ONE, said)

const unproven: Sentence = details => {
  if (details.reason === 'withdrawal')
    return (
      `Transaction ${details.transaction} pays withdrawal ${details.payment}, and is not proven by validators' ` +
      `signatures: ${String(details.error)}. Nothing leaves the bank until it is, or you resolve the incident as ` +
      'applied. Look the transaction up in several explorers first.'
    )
  const { amount, unit, destination, transaction, difference, contradicted, secondSource } = details
  const unknown = isShownByOne(secondSource)
    ? SHOWN_BY_ONE[secondSource]
    : contradicted
      ? 'Horizon does not prove whether it was applied'
      : 'no Horizon has the ledgers in which it was applied or replaced'
  const hint =
    difference === undefined
      ? ''
      : `The distribution account holds ${difference} ${unit} more than the journal: -${amount} means that it was ` +
        'applied, 0 that it was not. '
  return (
    `The payment of ${amount} ${unit} to ${destination} was signed as transaction ${transaction}, and ${unknown}. ` +
    `${hint}Look the transaction up in a full history, then resolve the incident with the outcome.`
  )
}

const unrecorded: Sentence = details => {
  const { transaction, amount, unit, destination, deposit, reference, money, currency } = details
  const what = amount === null ? 'took a claimable balance back' : `paid ${amount} ${unit} to ${destination}`
  const next =
    deposit === undefined
      ? 'Find what it was for in the statements of your rails and in your logs, then resolve the incident.'
      : `It is the payment of deposit ${deposit}. Have the rail report the deposit's money again (reference ` +
        `${reference}, ${money} ${currency}): the deposit is then completed without a second payment. If the customer ` +
        'has paid again since, return that payment.'
  return (
    `Transaction ${transaction} ${what} and is not recorded here: it was made after the state of the database that ` +
    `was restored, or by someone else who has the account's key. ${next}`
  )
}

const heldReceipt: Sentence = details => {
  const { reason, amount, currency, rail, payment, reference } = details
  if (reason === 'marked')
    return (
      `${amount} ${currency} came over ${rail} (payment ${payment}) for a transaction that an operator marked as paid ` +
      'before. If it is the same payment, say that it was paid. If the customer paid twice, say that it was not: then ' +
      'it is returned.'
    )
  if (reason === 'no-reference')
    return (
      `${amount} ${currency} came over ${rail} (payment ${payment}, reference ${reference}), and no transaction has ` +
      'this reference. Its deposit may have been made and paid on the ledger after the state that was restored: compare ' +
      'it with the incidents about unrecorded payments, then say whether it was paid. If not, it is returned.'
    )
  const { unit, sender, transaction, memo, answers, payments } = details
  if (payments !== undefined)
    return `${payments} accounts ended in the distribution account, and ${amount} ${unit} came so, the last from ${sender} (transaction ${transaction}). That is no payment, so no withdrawal accepts it. Say whether it is settled. If not, each is sent back, which opens its account again.`
  const came = `${amount} ${unit} came from ${sender} (transaction ${transaction}, memo ${memo ?? 'none'})`
  if (reason === 'merged')
    return `${came} by a merge of that account, which is no payment, so no withdrawal accepts it. Find out whose money it is, then say whether it is settled. If not, it is sent back to that account, which it opens again.`
  if (reason === 'settled-by-hand')
    return `${came}. A person closed the incident about it before it proved itself, and may have settled it by hand. Say whether it is settled. If not, it is sent back.`
  return answers === undefined
    ? `${came} before the database was restored, and no withdrawal here accepts it. Its withdrawal may have been made ` +
        'and paid out after the state that was restored. Look for it in the statements of your rails, then say whether ' +
        'it was paid out. If not, it is refunded.'
    : `${came}, and no withdrawal accepts it. It answers transaction ${answers} of this anchor, so it is not sent back ` +
        'by itself: its sender may send that back again. Find out whose money it is, then say whether it is settled. If ' +
        'not, it is sent back.'
}

const otherChain: Sentence = ({ public: isPublic, reason, lastLedger, recorded }) =>
  reason === 'false-record'
    ? `Horizon had shown ledger ${lastLedger} as ${recorded}, which both sources of the ledger contradict now. The record ` +
      'is replaced and reading continues. Horizon lied or was wrong: find out who answers at HORIZON_URL.'
    : contradiction({ public: isPublic, reason })

const contradiction: Sentence = ({ public: isPublic, reason }) =>
  (reason === 'sources-differ'
    ? 'Horizon and the second source of the ledger show different chains. Nothing is read and nothing is paid on the ' +
      'ledger until they agree. Check HORIZON_URL and the second source, and who answers there.'
    : 'Horizon contradicts what was read from it before. Nothing is read from it and nothing is paid on the ledger until ' +
      'it shows the same chain again. Check HORIZON_URL and who answers there.') +
  (isPublic ? '' : ' If the test network was reset, resolve the incident as applied.')

const sentences: Readonly<Record<LedgerIncident['kind'], Sentence>> = {
  'history-gap': historyGap,
  'network-reset': ({ open }) => `The network was reset. ${open} open transfers continue on the new chain.`,
  'unreadable-payment': ({ payment, transaction, reason, error, payments, until }) =>
    payments !== undefined
      ? `${String(payments)} payments, from ${payment} (transaction ${transaction}) to ${until}, prove nothing. ` +
        `The first: ${String(error)}. No money follows from them. Each is asked for again, and processed once it is proven.`
      : reason === 'second-source'
        ? `${String(error)}: payment ${payment} in transaction ${transaction}. It is asked again every minute; no money ` +
          'follows from it before both sources agree.'
        : reason === 'signature'
          ? `${String(error)}: payment ${payment} in transaction ${transaction}. Horizon may have invented it: look it up ` +
            'in an explorer. No money follows from it; it is asked again every hour, and processed where a second source ' +
            'of the ledger shows it.'
          : `The payment ${payment} in transaction ${transaction} could not be processed. It is tried again.`,
  'unproven-payment': unproven,
  'unrecorded-payment': unrecorded,
  'held-receipt': heldReceipt,
  'other-chain': otherChain,
}

/** How it ended by itself, in English, for the API. */
export const endings: Readonly<Record<EndedAs, string>> = {
  'transaction-applied': 'The transaction was applied.',
  'transaction-known': 'Its transaction is known again.',
  'payment-processed': 'The payment was processed.',
  'nothing-missing': 'The balance equals the records: nothing is missing.',
  'network-reset': 'The network was reset.',
  'started-over': 'The server started over on the new chain.',
  'ledger-found-again': 'Horizon showed the same chain again.',
}

/** What becomes of a transfer that was open when the network was reset. */
const afterReset: Partial<Record<TransferState, string>> = {
  new: 'continues: nothing was on the ledger',
  identifying: 'continues: nothing was on the ledger',
  awaiting_funds: 'continues: a payment on the new chain is recognized by the same memo or reference',
  funded: 'is paid on the new chain',
  awaiting_trust: 'is paid on the new chain once the account can receive the asset',
  paying_out: 'continues over the rail; its payment was on the old chain',
  returning: 'is refunded on the new chain',
}

/** Details as the API has them: of a reset with what happens to each envelope and transfer, in English. */
export function detailsForm({ kind, details }: Described): Record<string, unknown> {
  if (kind !== 'network-reset') return details
  const { envelopes = [], transfers = [] } = details as ResetDetails
  return {
    ...details,
    envelopes: envelopes.map(each => ({
      ...each,
      result: 'can never apply; the payment is signed again on the new chain',
    })),
    transfers: transfers.map(each => ({ ...each, result: afterReset[each.status] ?? 'unchanged' })),
  }
}

interface ResetDetails {
  envelopes?: { hash: string; payment: string }[]
  transfers?: { id: string; status: TransferState }[]
}
