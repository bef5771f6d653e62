import Type from 'typebox'
import { endpoint } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'
import { SepTransaction, TransactionQuery, TransactionsQuery } from './sep-transactions.ts'

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** All parameters of a deposit or withdrawal; an operation ignores those it does not know. */
const TransferQuery = Type.Object({
  asset_code: Text(80),
  source_asset: Text(100),
  destination_asset: Text(100),
  amount: Text(40),
  quote_id: Text(100),
  account: Text(80),
  memo: Text(100),
  memo_type: Text(10),
  type: Text(40),
  funding_method: Text(40),
  dest: Text(200),
  dest_extra: Text(200),
  email_address: Text(254),
  wallet_name: Text(100),
  wallet_url: Text(300),
  lang: Text(35),
  on_change_callback: Text(500),
  country_code: Text(3),
  claimable_balance_supported: Text(5),
  customer_id: Text(100),
  location_id: Text(100),
  refund_memo: Text(100),
  refund_memo_type: Text(10),
})

export const Sep6Fields = Type.Record(
  Type.String(),
  Type.Object({
    description: Type.String(),
    optional: Type.Optional(Type.Boolean()),
    choices: Type.Optional(Type.Array(Type.String())),
  }),
)
const asset = {
  enabled: Type.Boolean(),
  authentication_required: Type.Boolean(),
  min_amount: Type.Optional(Type.Number()),
  max_amount: Type.Optional(Type.Number()),
  fee_fixed: Type.Optional(Type.Number()),
  /** In percent: 0.5 is half a percent. */
  fee_percent: Type.Optional(Type.Number()),
  funding_methods: Type.Array(Type.String()),
}
export const Sep6DepositAssets = Type.Record(
  Type.String(),
  Type.Object({ ...asset, fields: Type.Optional(Sep6Fields) }),
)
export const Sep6WithdrawalAssets = Type.Record(
  Type.String(),
  Type.Object({ ...asset, types: Type.Record(Type.String(), Type.Object({ fields: Sep6Fields })) }),
)
export const Sep6Enabled = Type.Object({
  enabled: Type.Boolean(),
  authentication_required: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String()),
})

export const getSep6Info = endpoint('GET /sep6/info', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  summary: 'What can be deposited and withdrawn (SEP-6)',
  query: Type.Object({ lang: Text(35) }),
  conditional: true,
  response: {
    200: Type.Object({
      deposit: Sep6DepositAssets,
      'deposit-exchange': Sep6DepositAssets,
      withdraw: Sep6WithdrawalAssets,
      'withdraw-exchange': Sep6WithdrawalAssets,
      fee: Sep6Enabled,
      transactions: Sep6Enabled,
      transaction: Sep6Enabled,
      features: Type.Object({ account_creation: Type.Boolean(), claimable_balances: Type.Boolean() }),
    }),
  },
})

const terms = {
  eta: Type.Optional(Type.Integer()),
  min_amount: Type.Optional(Type.Number()),
  max_amount: Type.Optional(Type.Number()),
  fee_fixed: Type.Optional(Type.Number()),
  /** In percent: 0.5 is half a percent. */
  fee_percent: Type.Optional(Type.Number()),
  extra_info: Type.Optional(Type.Object({ message: Type.String() })),
}

export const Sep6Deposit = Type.Object({
  how: Type.String(),
  id: Type.String(),
  instructions: Type.Optional(
    Type.Record(Type.String(), Type.Object({ value: Type.String(), description: Type.String() })),
  ),
  ...terms,
})

export const deposit = endpoint('GET /sep6/deposit', {
  realm: 'wallet',
  summary: 'Begins a deposit (SEP-6)',
  query: TransferQuery,
  response: { 200: Sep6Deposit },
  problems: ['too-many-requests', 'not-found'],
})

export const depositExchange = endpoint('GET /sep6/deposit-exchange', {
  realm: 'wallet',
  summary: 'Begins a deposit in another asset (SEP-6)',
  query: TransferQuery,
  response: { 200: Sep6Deposit },
  problems: ['too-many-requests', 'not-found'],
})

export const Sep6Withdrawal = Type.Object({
  id: Type.String(),
  account_id: Type.Optional(Type.String()),
  memo_type: Type.Optional(Type.String()),
  memo: Type.Optional(Type.String()),
  ...terms,
})

export const withdraw = endpoint('GET /sep6/withdraw', {
  realm: 'wallet',
  summary: 'Begins a withdrawal (SEP-6)',
  query: TransferQuery,
  response: { 200: Sep6Withdrawal },
  problems: ['too-many-requests', 'not-found'],
})

export const withdrawExchange = endpoint('GET /sep6/withdraw-exchange', {
  realm: 'wallet',
  summary: 'Begins a withdrawal paid in another asset (SEP-6)',
  query: TransferQuery,
  response: { 200: Sep6Withdrawal },
  problems: ['too-many-requests', 'not-found'],
})

export const getSep6Transaction = endpoint('GET /sep6/transaction', {
  realm: 'wallet',
  summary: "One of the wallet's transactions (SEP-6)",
  query: TransactionQuery,
  conditional: true,
  response: { 200: Type.Object({ transaction: SepTransaction }) },
  problems: ['not-found'],
})

export const listSep6Transactions = endpoint('GET /sep6/transactions', {
  realm: 'wallet',
  summary: "The wallet's transactions, newest first (SEP-6)",
  query: TransactionsQuery,
  conditional: true,
  response: { 200: Type.Object({ transactions: Type.Array(SepTransaction) }) },
})

/** `{transaction: {dest, dest_extra}}`: what a transaction in `pending_transaction_info_update` asked for. */
export const patchSep6Transaction = endpoint('PATCH /sep6/transactions/:id', {
  realm: 'wallet',
  summary: 'Submits the details that a transaction asked for (SEP-6)',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  body: Type.Object({
    transaction: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 200 })),
  }),
  response: { 200: Type.Object({ transaction: SepTransaction }) },
})
