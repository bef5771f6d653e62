import type { CustomerKyc } from '../people/customers/kyc-status.ts'
import type { Customer } from '../people/customers/seal-details.ts'
import { readDestination } from '../rails/destination-fields.ts'
import type { Rail } from '../rails/rail.ts'
import type { Transfer } from '../tables.ts'
import type { Destination } from '../transfers/destination.ts'

/** What the customer does next. */
export type Step =
  | 'email'
  | 'code'
  | 'confirm'
  | 'verify'
  | 'verifying'
  | 'rejected'
  | 'lapsed'
  | 'details'
  | 'person'
  | 'review'
  | 'pay'
  | 'send'
  | 'status'

export interface Situation {
  transfer: Transfer
  /** Where a withdrawal is paid to, as far as the customer said it. */
  destination: Destination
  customer: Customer | null
  kyc: CustomerKyc
  /** A session at the provider that is not decided. */
  verifying: boolean
  rail: Rail | null
  /** SEP-9's fields of the customer that the travel rule asks for; empty: none. */
  lacking: readonly string[]
  /** The transfer's firm quote has expired. */
  lapsed: boolean
}

/** How a person looks at the transaction. */
export interface View {
  /** They change what they agreed to. */
  edit?: boolean
  /** By a link without rights: instructions and status, nothing to fill in. */
  readOnly?: boolean
}

/** The page that is shown. */
export function stepOf(situation: Situation, { edit = false, readOnly = false }: View = {}): Step {
  const step = nextStep(situation)
  if (readOnly) return step === 'pay' || step === 'send' ? step : 'status'
  return edit && isFilled(step) ? 'details' : step
}

/** Whether everything about the amounts is known. */
export const isFilled = (step: Step): boolean => step === 'review' || step === 'person'

function nextStep(situation: Situation): Step {
  const { transfer, destination, customer, kyc, verifying, rail, lacking, lapsed } = situation
  if (transfer.state === 'awaiting_funds') return transfer.direction === 'deposit' ? 'pay' : 'send'
  if (transfer.state !== 'new') return 'status'
  if (lapsed) return 'lapsed'
  if (kyc.status === 'REJECTED') return 'rejected'
  if (kyc.status !== 'ACCEPTED') {
    if (kyc.centralId === null) return signInStep(customer)
    return verifying || kyc.status === 'PROCESSING' ? 'verifying' : 'verify'
  }
  const lacksDestination =
    transfer.direction === 'withdrawal' &&
    readDestination(rail?.destinationFields ?? [], destination).wrong.length > 0
  if (transfer.amount === null || lacksDestination) return 'details'
  return lacking.length > 0 ? 'person' : 'review'
}

/** Between a wallet that nobody knows and its customer. */
function signInStep(customer: Customer | null): Step {
  if (customer?.unconfirmed) return 'confirm'
  return customer?.pendingEmail ? 'code' : 'email'
}

const finalSteps: readonly Step[] = ['rejected', 'lapsed', 'pay', 'send', 'status']

/** Polled by the page's script, which reloads the page when `version` changes. */
export function watchedState(situation: Situation) {
  const { transfer } = situation
  const step = stepOf(situation)
  return {
    version: `${step}:${transfer.state}:${transfer.updated_at.getTime()}`,
    /** The customer has nothing more to say here: a wallet that asked for `callback=postMessage` gets its message. */
    isPartOver: finalSteps.includes(step),
  }
}
