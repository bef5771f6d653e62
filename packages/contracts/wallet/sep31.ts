import Type, { type Static } from 'typebox'
import { Time } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'
import { SepFeeDetails, SepRefunds } from './sep-transactions.ts'

const Text = Type.Optional(Type.String())
const Types = Type.Object({ types: Type.Record(Type.String(), Type.Object({ description: Type.String() })) })

export const Sep31Asset = Type.Object({
  enabled: Type.Boolean(),
  quotes_supported: Type.Boolean(),
  quotes_required: Type.Boolean(),
  min_amount: Type.Optional(Type.Number()),
  max_amount: Type.Optional(Type.Number()),
  fee_fixed: Type.Optional(Type.Number()),
  /** In percent: 0.5 is half a percent. */
  fee_percent: Type.Optional(Type.Number()),
  /** How the receiver can be paid. */
  funding_methods: Type.Array(Type.String()),
  /** The SEP-12 `type` of the customers who send and receive. */
  sep12: Type.Object({ sender: Types, receiver: Types }),
  /** Nothing is asked beside SEP-12; clients of earlier versions of SEP-31 stop without it. */
  fields: Type.Object({ transaction: Type.Object({}) }),
})

export const getSep31Info = endpoint('GET /sep31/info', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  summary: 'What other anchors can send here (SEP-31)',
  query: Type.Object({ lang: Type.Optional(Type.String({ maxLength: 35 })) }),
  conditional: true,
  response: { 200: Type.Object({ receive: Type.Record(Type.String(), Sep31Asset) }) },
})

/** A direct payment as in SEP-31; values not known yet are absent. */
export const Sep31Transaction = Type.Object({
  id: Type.String(),
  status: Type.String(),
  status_message: Text,
  amount_in: Text,
  amount_in_asset: Text,
  amount_out: Text,
  amount_out_asset: Text,
  amount_fee: Text,
  amount_fee_asset: Text,
  fee_details: Type.Optional(SepFeeDetails),
  quote_id: Text,
  stellar_account_id: Text,
  stellar_memo_type: Text,
  stellar_memo: Text,
  started_at: Time,
  updated_at: Time,
  completed_at: Type.Optional(Time),
  user_action_required_by: Type.Optional(Time),
  stellar_transaction_id: Text,
  external_transaction_id: Text,
  refunded: Type.Boolean(),
  refunds: Type.Optional(SepRefunds),
})
export type Sep31Transaction = Static<typeof Sep31Transaction>

const ByText = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/**
 * `sender_id` and `receiver_id` are those of SEP-12. A customer who is not accepted is answered with 400 and
 * `{error: 'customer_info_needed', type}`. Without `stellar_account_id` in the answer, read the transaction until it is
 * `pending_sender`.
 */
export const createSep31Transaction = endpoint('POST /sep31/transactions', {
  realm: 'wallet',
  summary: 'Starts a direct payment to a receiver (SEP-31)',
  body: Type.Object({
    /** In units of the asset that is sent. */
    amount: Type.Union([Type.String({ maxLength: 40 }), Type.Number()]),
    asset_code: Type.String({ minLength: 1, maxLength: 80 }),
    asset_issuer: ByText(80),
    /** What the receiver gets, as `iso4217:…`. */
    destination_asset: ByText(100),
    quote_id: ByText(100),
    sender_id: ByText(100),
    receiver_id: ByText(100),
    funding_method: ByText(40),
    lang: ByText(35),
    refund_memo: ByText(100),
    refund_memo_type: ByText(10),
  }),
  response: {
    201: Type.Object({
      id: Type.String(),
      stellar_account_id: Text,
      stellar_memo_type: Text,
      stellar_memo: Text,
    }),
  },
  problems: ['forbidden', 'too-many-requests', 'not-found'],
})

const Params = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const getSep31Transaction = endpoint('GET /sep31/transactions/:id', {
  realm: 'wallet',
  summary: 'A direct payment (SEP-31)',
  params: Params,
  conditional: true,
  response: { 200: Type.Object({ transaction: Sep31Transaction }) },
  problems: ['not-found'],
})

/**
 * Always refused: the anchor asks for no details beside SEP-12. A receiver's account is corrected by SEP-12, while the
 * payment is `pending_customer_info_update`.
 */
export const patchSep31Transaction = endpoint('PATCH /sep31/transactions/:id', {
  realm: 'wallet',
  summary: 'Submits the details that a direct payment asked for (SEP-31)',
  params: Params,
  body: Type.Object({
    fields: Type.Object({
      transaction: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 200 })),
    }),
  }),
  response: { 200: Type.Object({ transaction: Sep31Transaction }) },
  problems: ['not-found'],
})

/** Every change is posted there as `{transaction}`, signed as SEP-31 describes. */
export const putSep31Callback = endpoint('PUT /sep31/transactions/:id/callback', {
  realm: 'wallet',
  summary: 'Where changes of a direct payment are sent (SEP-31)',
  params: Params,
  body: Type.Object({ url: Type.String({ minLength: 1, maxLength: 500 }) }),
  form: true,
  response: { 204: NoContent },
  problems: ['not-found'],
})
