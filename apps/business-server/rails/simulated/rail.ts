import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { verifyWebhook, ReportError } from '@windlass/service/outbound/webhooks.ts'
import { destinationFieldsOf } from '../destination-fields.ts'
import { instructionsFor, payeeOf, paymentCodeFor } from '../payment-instructions.ts'
import type { Rail, RailOptions, RailReport } from '../rail.ts'
import { simulatedBank } from './payments.ts'

/**
 * A rail that moves no money. A payout to a destination that says `fail` fails, one that says `slow` takes a minute.
 */
export function createSimulatedRail({ settings, anchor, db, clock }: RailOptions): Rail {
  const { name } = settings
  const { currency, label } = railKind(name, anchor.anchoredTo)
  const payee = payeeOf(settings, anchor)
  const { book, ...simulation } = simulatedBank(settings, currency, { db, clock })
  return {
    name,
    label,
    currency,
    simulation,
    destinationFields: destinationFieldsOf(name),
    instructions: payment => instructionsFor(name, payee, currency, payment),
    paymentCode: payment => paymentCodeFor(name, payee, payment),
    pay: async ({ id, amount, destination, reference }) => {
      const says = (word: RegExp) => Object.values(destination).some(value => word.test(value))
      const outcome = says(/fail/i)
        ? ({ outcome: 'failed', reason: 'the bank does not know this account' } as const)
        : ({ outcome: 'paid', reason: null } as const)
      await book({ ...outcome, direction: 'out', id, reference, amount }, says(/slow/i))
      return null
    },
    returnPayment: async (id, paymentId, amount) => {
      await book({ direction: 'out', id, reference: paymentId, amount, outcome: 'paid', reason: null })
      return null
    },
    readWebhook: async (body, headers, now) => {
      verifyWebhook(body, headers, settings.webhookSecrets, now)
      return [readReport(body, currency)]
    },
  }
}

function readReport(body: Buffer, currency: string): RailReport {
  const report = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null
  const text = (name: string) => {
    const value = report?.[name]
    if (typeof value !== 'string' || value === '' || value.length > 200)
      throw new ReportError(`${name} is wrong`)
    if (!value.isWellFormed() || value.includes('\0')) throw new ReportError(`${name} is no text`)
    return value
  }
  switch (report?.type) {
    case 'payment.received':
      return {
        kind: 'received',
        paymentId: text('paymentId'),
        reference: text('reference'),
        amount: text('amount'),
        currency,
      }
    case 'payment.taken-back':
      return { kind: 'taken-back', paymentId: text('paymentId'), reason: text('reason') }
    case 'payout.paid':
      return { kind: 'paid', orderId: text('orderId'), paymentId: text('orderId') }
    case 'payout.failed':
      return { kind: 'failed', orderId: text('orderId'), reason: text('reason') }
    default:
      throw new ReportError('type is unknown')
  }
}
