import type { Ivms101 } from '@windlass/contracts/anchor/ivms101.ts'

/** An inquiry, whatever protocol carries it. */
export interface Inquiry {
  /** The same where it is sent again. */
  request: string
  /** A decimal string. */
  amount: string
  /** `CODE:ISSUER`; null: the sender named none. */
  asset: string | null
  /** Where the answer goes. */
  callback: string
  document: Ivms101
}

export type Resolution =
  /** `address`: where the beneficiary's provider is paid. `callback`: where it learns of the payment. */
  { approved: { address: string; callback: string } } | { rejected: string }

export type Ending = { txid: string } | { canceled: string }

/** Why a provider did not take a message. */
export class NotTaken extends Error {
  readonly failure: 'unreachable' | 'refused' | 'no-answer'

  constructor(failure: NotTaken['failure']) {
    super(`the provider did not take the message: ${failure}`)
    this.failure = failure
  }
}

/** One way to exchange data of the travel rule. What a provider does not take throws {@link NotTaken}. */
export interface TravelProtocol {
  /** @returns null: the provider answers later. */
  inquire(travelAddress: string, inquiry: Inquiry): Promise<Resolution | null>
  resolve(callback: string, request: string, resolution: Resolution): Promise<void>
  confirm(callback: string, request: string, ending: Ending): Promise<void>
}
