import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { ReportError } from '@windlass/service/outbound/webhooks.ts'
import { destinationFieldsOf } from '../destination-fields.ts'
import { instructionsFor, payeeOf, paymentCodeFor } from '../payment-instructions.ts'
import type { Rail, RailOptions } from '../rail.ts'
import { queuePayout } from './payouts.ts'

/**
 * A rail of any bank: what comes is read from the bank's statements (`bank-files`), what leaves waits here until an
 * operator puts it in a file for the bank.
 */
export function createBankFileRail({ settings, anchor, db }: RailOptions): Rail {
  const { name, credentials } = settings
  const { currency, label } = railKind(name, anchor.anchoredTo)
  const payee = payeeOf(settings, anchor)
  return {
    name,
    label,
    currency,
    bankAccount: {
      account: payee?.account.value ?? '',
      bank: payee?.bank?.value ?? '',
      holder: credentials.accountHolder ?? anchor.name,
      companyId: credentials.companyId ?? null,
    },
    destinationFields: destinationFieldsOf(name),
    instructions: payment => instructionsFor(name, payee, currency, payment),
    paymentCode: payment => paymentCodeFor(name, payee, payment),
    pay: async ({ id, amount, reference }) => {
      const of = { kind: 'payout', transfer_id: reference, line_id: null } as const
      await queuePayout(db, { id, rail: name, amount, currency, ...of })
      return null
    },
    returnPayment: async (id, paymentId, amount) => {
      const of = { kind: 'return', transfer_id: null, line_id: paymentId } as const
      await queuePayout(db, { id, rail: name, amount, currency, ...of })
      return null
    },
    readWebhook: async () => {
      throw new ReportError('a bank file rail has no webhooks')
    },
  }
}
