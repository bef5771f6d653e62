import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

/**
 * What the bank of a simulated rail would report: without an amount the one that the deposit names. Another amount is
 * returned, as a bank's would be. At most 20 an hour for a deposit and 100 for a client; 404 where the anchor's rail
 * moves real money.
 */
export const payDeposit = endpoint('POST /sandbox/transactions/:id/payment', {
  realm: 'wallet',
  summary: 'Pays a deposit over a simulated rail',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  body: Type.Object({
    /** In the rail's currency. */
    amount: Type.Optional(Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,7})?$' })),
    /** The report takes a minute in place of a second. */
    slow: Type.Optional(Type.Boolean()),
  }),
  response: {
    202: Type.Object({
      rail: Type.String(),
      reference: Type.String(),
      amount: Type.String(),
      currency: Type.String(),
    }),
  },
  problems: ['not-found', 'too-many-requests'],
})
