/** A line of what the customer is told to pay. */
export interface Instruction {
  /** SEP-9's name for it, where there is one. */
  field: string
  label: string
  value: string
}

export interface ExpectedPayment {
  /** What the payment must carry, so that it is found. */
  reference: string
  /** In the rail's currency; null: any amount. */
  amount: string | null
}

export interface DestinationField {
  name: string
  label: string
  /** A regular expression that the whole value fits, for the browser's first look. */
  pattern: string
  hint: string
  optional?: boolean
  /** What people write as the bank wants it: without spaces, in capitals. */
  clean(text: string): string
  /** What is wrong with a clean value, for whoever typed it; null: nothing. */
  fault(value: string): string | null
}

export interface OutgoingPayment {
  /** The rail does one payment per id, however often it is asked. */
  id: string
  amount: string
  destination: Readonly<Record<string, string>>
  /** Shown to the receiver. */
  reference: string
}

/** What a rail reports by its webhook. */
export type RailReport =
  | { kind: 'received'; paymentId: string; reference: string; amount: string; currency: string }
  | { kind: 'paid'; orderId: string; paymentId: string }
  | { kind: 'failed'; orderId: string; reason: string }

/** A payment rail: what an adapter for a bank or payment provider must do, and no more. */
export interface Rail {
  readonly name: string
  readonly label: string
  readonly currency: string
  /** No money moves: for test networks. */
  readonly simulated: boolean
  /** What a withdrawal's customer fills in. */
  readonly destinationFields: readonly DestinationField[]
  instructions(payment: ExpectedPayment): Instruction[]
  /** What a phone scans to pay, and what it may open instead, where the rail has such things. */
  paymentCode(payment: ExpectedPayment): PaymentCode | null
  /** Pays out. Throws where the rail does not answer; done or not is reported by the webhook. */
  pay(payment: OutgoingPayment): Promise<void>
  /** Sends money back that came as `paymentId`. */
  giveBack(id: string, paymentId: string, amount: string): Promise<void>
  /** Reads and checks a webhook. Throws `SignatureError` or `ReportError`. */
  readWebhook(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    now: Date,
  ): RailReport
}

export interface PaymentCode {
  /** What the QR code says. */
  text: string
  /** An address that opens the payment app on the same phone. */
  link?: string
}
