import type { Clock } from '@windlass/service/work/clock.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { DueWork } from '@windlass/service/work/due-work.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Tables } from '../tables.ts'
import type { RailSettings } from './settings.ts'

/** A line of the payment instructions. */
export interface Instruction {
  /** SEP-9's name for it, if it has one. */
  field: string
  label: string
  value: string
}

export interface ExpectedPayment {
  /** The payment must carry it, so that it is matched. */
  reference: string
  /** In the rail's currency; null: any amount. */
  amount: string | null
}

export interface DestinationField {
  name: string
  label: string
  /** A regular expression that the whole value fits, for the browser's own check. */
  pattern: string
  hint: string
  optional?: boolean
  /** The typed text in the bank's form: without spaces, in capitals. */
  clean(text: string): string
  /** What is wrong with a clean value, for the person who typed it; null: nothing. */
  fault(value: string): string | null
}

interface OutgoingPayment {
  /** The rail does one payment per id, however often it is asked. */
  id: string
  amount: string
  destination: Readonly<Record<string, string>>
  /** Shown to the receiver. */
  reference: string
}

/**
 * How a payment of ours ended. `amount`: what the provider says it was of, where it says so; `returned`: the payment that it
 * gives back, where it is a return.
 */
export type OrderReport = { orderId: string; amount?: string; returned?: string } & (
  { kind: 'paid'; paymentId: string } | { kind: 'failed'; reason: string }
)

/** What a rail reports. */
export type RailReport =
  | {
      kind: 'received'
      paymentId: string
      reference: string
      amount: string
      currency: string
      /** Who paid, where the rail knows it. */
      payer?: string | undefined
      /** From which account, where the rail knows it. */
      payerAccount?: string | undefined
    }
  /** A bank, or a card's or an app's issuer, took a payment back that had come. */
  | { kind: 'taken-back'; paymentId: string; reason: string }
  | ({ kind: 'dispute' } & DisputeReport)
  | OrderReport

/** What a provider says of a dispute now: a bank, or a card's or an app's issuer, asks for a payment back. */
export interface DisputeReport {
  disputeId: string
  paymentId: string
  currency: string
  amount: string
  /** `closed`: it ended without a winner. */
  state: 'open' | 'won' | 'lost' | 'closed'
  /** One that was won may be opened again, in a later round. */
  round: number
  /** What the provider took of the money. */
  deducted: string
  reason: string
  /** Until when the provider takes evidence. */
  respondBy: Date | null
}

/** A payout or a return as the rail has it, with how it ended; null: it has not. */
export interface RailPayment {
  orderId: string
  paymentId: string
  amount: string
  currency: string
  at: Date
  report: OrderReport | null
  /** The payment that goes back in a return. */
  returned?: string
}

/** A page of the provider for a deposit. */
export interface PageRequest extends ExpectedPayment {
  expiresAt: Date
}

/** Simulates the customer's bank. */
export interface RailSimulation {
  /** As if a customer had paid; after a minute where `slow`. */
  payIn(payment: { reference: string; amount: string }, slow: boolean): Promise<void>
  hasPayIn(reference: string): Promise<boolean>
  /** Sends reports to the rail's webhook endpoint when they are due, until they are accepted. */
  reports(webhookUrl: string): DueWork
}

/** The anchor's own account at its bank, whose statements say what came and went. */
export interface BankAccount {
  /** IBAN or account number, without spaces. */
  account: string
  /** BIC, IFSC or routing number. */
  bank: string
  holder: string
  /** The number under which the bank knows the company as an originator of payments (ACH). */
  companyId: string | null
}

/** A payment rail: what an adapter for a bank or payment provider must do, and no more. */
export interface Rail {
  readonly name: string
  readonly label: string
  readonly currency: string
  /** Only of a rail that moves no money, which the public network refuses. */
  readonly simulation?: RailSimulation
  /** Only of a rail whose payments come from statements and leave in files: an order is sent to it once. */
  readonly bankAccount?: BankAccount
  /**
   * Why customers cannot learn where to pay: the field of the anchor's account that is wrong or missing. Such a rail
   * takes no deposits and makes no payout files.
   */
  readonly accountFault?: string
  /** Accounts that customers were asked to pay to before: their statements still count. */
  readonly earlierAccounts?: readonly string[]
  /** What a withdrawal's customer fills in. */
  readonly destinationFields: readonly DestinationField[]
  instructions(payment: ExpectedPayment): Instruction[]
  /** What a phone scans to pay, and what it may open instead, where the rail has such things. */
  paymentCode(payment: ExpectedPayment): PaymentCode | null
  /**
   * The address of the provider's page on which this deposit is paid, the same for each call. Only of a rail that has
   * such pages. Throws `dependency-unavailable`.
   */
  paymentPage?(request: PageRequest): Promise<string>
  /**
   * Pays out. Called again until the order has ended. Throws where the rail does not answer.
   *
   * @returns how it ended, where that is known; null: not yet, and a webhook or a later call reports it.
   */
  pay(payment: OutgoingPayment): Promise<OrderReport | null>
  /** Sends money back that was received as `paymentId`, as {@link Rail.pay} does; one return per id. */
  returnPayment(id: string, paymentId: string, amount: string): Promise<OrderReport | null>
  /**
   * Reads and checks a webhook. Throws `SignatureError` or `ReportError`, and `dependency-unavailable` where what it says
   * cannot be verified now.
   */
  readWebhook(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    now: Date,
  ): Promise<readonly RailReport[]>
  /** Looks for what no webhook reported, and hands it to `receive`. */
  work?(receive: (report: RailReport) => Promise<void>): DueWork
  /** Payouts and returns that the rail has since then, for the reconciliation. */
  payments?(since: Date): AsyncIterable<RailPayment>
  /** Disputes that the rail has, for the reconciliation. */
  disputes?(): AsyncIterable<DisputeReport>
}

export interface PaymentCode {
  /** What the QR code says. */
  text: string
  /** An address that opens the payment app on the same phone. */
  link?: string
}

/** What an adapter gets. */
export interface RailOptions {
  settings: RailSettings
  anchor: { id: string; name: string; anchoredTo: string; publicUrl: string }
  db: Db<Tables>
  clock: Clock
  logger: FastifyBaseLogger
  /** The address of the provider's API, in tests. */
  providerUrl?: string | undefined
}
