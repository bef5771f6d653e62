import { railKind } from '@windlass/contracts/anchor-rails.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { ReportError } from '@windlass/kyc-providers/provider.ts'
import { checkSignature } from '@windlass/kyc-providers/webhook-signature.ts'
import type { Db } from '@windlass/service/database.ts'
import type { BusinessDatabase } from '../database.ts'
import { destinationFieldsOf } from './destination-fields.ts'
import type { ExpectedPayment, Instruction, Rail, RailReport } from './rail.ts'
import { bookPayment } from './simulated-books.ts'

export interface SimulatedRailOptions {
  name: string
  anchoredTo: string
  db: Db<BusinessDatabase>
  /** Signs the rail's webhooks. */
  secret: string
}

/**
 * A rail that moves no money: its books are a table, and it reports by a signed webhook after a moment, as a bank
 * would. A payout to a destination that says `fail` fails.
 */
export function createSimulatedRail({ name, anchoredTo, db, secret }: SimulatedRailOptions): Rail {
  const { currency, label } = railKind(name, anchoredTo)
  const upi = name.toUpperCase() === 'UPI'
  return {
    name,
    label,
    currency,
    simulated: true,
    destinationFields: destinationFieldsOf(name),
    instructions: payment => (upi ? upiInstructions(payment) : bankInstructions(payment, name, currency)),
    paymentLink: payment => (upi ? upiLink(payment) : null),
    pay: ({ id, amount, destination, reference }) => {
      const fails = Object.values(destination).some(value => /fail/i.test(value))
      return bookPayment(db, {
        id,
        rail: name,
        direction: 'out',
        reference,
        amount,
        currency,
        destination,
        outcome: fails ? 'failed' : 'paid',
        reason: fails ? 'the bank does not know this account' : null,
      })
    },
    giveBack: (id, paymentId, amount) =>
      bookPayment(db, {
        id,
        rail: name,
        direction: 'out',
        reference: paymentId,
        amount,
        currency,
        destination: {},
        outcome: 'paid',
        reason: null,
      }),
    readWebhook: (body, headers, now) => {
      checkSignature(body, headers, [secret], now)
      return readReport(body, currency)
    },
  }
}

/** UPI's payee address and note; a real one comes from the payment provider. */
const VPA = 'windlass.test@simulated'

const upiInstructions = ({ reference, amount, payee }: ExpectedPayment): Instruction[] => [
  { field: 'bank_account_number', label: 'UPI ID', value: VPA },
  { field: 'organization.name', label: 'Payee', value: payee },
  ...amountLine(amount, 'INR'),
  { field: 'reference', label: 'Note', value: reference },
]

function upiLink({ reference, amount, payee }: ExpectedPayment): string {
  const query = new URLSearchParams({
    pa: VPA,
    pn: payee.slice(0, 60),
    cu: 'INR',
    tr: reference,
    tn: reference,
  })
  if (amount !== null) query.set('am', cents(amount))
  return `upi://pay?${query}`
}

function bankInstructions(
  { reference, amount, payee }: ExpectedPayment,
  rail: string,
  currency: string,
): Instruction[] {
  const account: Instruction[] =
    rail.toUpperCase() === 'SEPA'
      ? [
          { field: 'bank_account_number', label: 'IBAN', value: 'DE00 0000 0000 0000 0000 00 (test)' },
          { field: 'bank_number', label: 'BIC', value: 'TESTDEFF' },
        ]
      : [
          { field: 'bank_account_number', label: 'Account number', value: '000000000 (test)' },
          {
            field: 'bank_number',
            label: currency === 'INR' ? 'IFSC' : 'Routing number',
            value: 'TEST0000000',
          },
        ]
  return [
    ...account,
    { field: 'organization.name', label: 'Payee', value: payee },
    ...amountLine(amount, currency),
    { field: 'reference', label: 'Reference', value: reference },
  ]
}

const amountLine = (amount: string | null, currency: string): Instruction[] =>
  amount === null ? [] : [{ field: 'amount', label: 'Amount', value: `${cents(amount)} ${currency}` }]

/** `8938.5` as `8938.50`. */
export function cents(amount: string): string {
  const [whole = '0', fraction = ''] = formatAmount(parseAmount(amount)).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

function readReport(body: Buffer, currency: string): RailReport {
  const report = JSON.parse(body.toString('utf8')) as Record<string, unknown>
  const text = (name: string) => {
    const value = report[name]
    if (typeof value !== 'string' || value === '' || value.length > 200)
      throw new ReportError(`${name} is wrong`)
    return value
  }
  switch (report.type) {
    case 'payment.received':
      return {
        kind: 'received',
        paymentId: text('paymentId'),
        reference: text('reference'),
        amount: text('amount'),
        currency,
      }
    case 'payout.paid':
      return { kind: 'paid', orderId: text('orderId'), paymentId: text('orderId') }
    case 'payout.failed':
      return { kind: 'failed', orderId: text('orderId'), reason: text('reason') }
    default:
      throw new ReportError('type is not one we know')
  }
}
