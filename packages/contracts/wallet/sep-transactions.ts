import Type, { type Static } from 'typebox'
import { Time } from '../common.ts'

const Text = Type.Optional(Type.String())

const FeeParts = Type.Array(
  Type.Object({ name: Type.String(), amount: Type.String(), description: Type.Optional(Type.String()) }),
)

export const SepFeeDetails = Type.Object({
  total: Type.String(),
  asset: Type.String(),
  details: Type.Optional(FeeParts),
  /** The same parts, as SEP-24 names them. */
  breakdown: Type.Optional(FeeParts),
})

export const SepRefunds = Type.Object({
  amount_refunded: Type.String(),
  amount_fee: Type.String(),
  payments: Type.Array(
    Type.Object({ id: Type.String(), id_type: Type.String(), amount: Type.String(), fee: Type.String() }),
  ),
})

/** A transaction as in SEP-6 and SEP-24; values not known yet are absent. */
export const SepTransaction = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  status: Type.String(),
  status_eta: Type.Optional(Type.Integer()),
  kyc_verified: Type.Optional(Type.Boolean()),
  more_info_url: Type.String(),
  amount_in: Text,
  amount_in_asset: Text,
  amount_out: Text,
  amount_out_asset: Text,
  amount_fee: Text,
  amount_fee_asset: Text,
  fee_details: Type.Optional(SepFeeDetails),
  quote_id: Text,
  /** Who pays: absent in a deposit. */
  from: Text,
  to: Text,
  deposit_memo: Text,
  deposit_memo_type: Text,
  claimable_balance_id: Text,
  withdraw_anchor_account: Text,
  withdraw_memo: Text,
  withdraw_memo_type: Text,
  external_extra: Text,
  started_at: Time,
  updated_at: Time,
  completed_at: Type.Optional(Time),
  user_action_required_by: Type.Optional(Time),
  stellar_transaction_id: Text,
  external_transaction_id: Text,
  message: Text,
  refunded: Type.Optional(Type.Boolean()),
  refunds: Type.Optional(SepRefunds),
  instructions: Type.Optional(
    Type.Record(Type.String(), Type.Object({ value: Type.String(), description: Type.String() })),
  ),
  required_customer_info_message: Text,
  required_customer_info_updates: Type.Optional(Type.Array(Type.String())),
  required_info_message: Text,
  /** What SEP-6's `PATCH` takes. */
  required_info_updates: Type.Optional(
    Type.Object({
      transaction: Type.Record(
        Type.String(),
        Type.Object({ description: Type.String(), optional: Type.Optional(Type.Boolean()) }),
      ),
    }),
  ),
})
export type SepTransaction = Static<typeof SepTransaction>

export const TransactionQuery = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  stellar_transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  external_transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  lang: Type.Optional(Type.String({ maxLength: 35 })),
})
export type TransactionQuery = Static<typeof TransactionQuery>

export const TransactionsQuery = Type.Object({
  asset_code: Type.String({ minLength: 1, maxLength: 80 }),
  no_older_than: Type.Optional(Type.String({ maxLength: 40 })),
  limit: Type.Optional(Type.String({ pattern: '^\\d{1,6}$' })),
  /** One, several with commas, or the parameter repeated. */
  kind: Type.Optional(
    Type.Union([
      Type.String({ maxLength: 100 }),
      Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 }),
    ]),
  ),
  paging_id: Type.Optional(Type.String({ maxLength: 100 })),
  account: Type.Optional(Type.String({ maxLength: 80 })),
  lang: Type.Optional(Type.String({ maxLength: 35 })),
})
export type TransactionsQuery = Static<typeof TransactionsQuery>
