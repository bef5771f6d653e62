import Type from 'typebox'
import { endpoint } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'
import { SepTransaction, TransactionQuery, TransactionsQuery } from './sep-transactions.ts'

export const Sep24Assets = Type.Record(
  Type.String(),
  Type.Object({
    enabled: Type.Boolean(),
    min_amount: Type.Optional(Type.Number()),
    max_amount: Type.Optional(Type.Number()),
    fee_fixed: Type.Optional(Type.Number()),
    /** In percent: 0.5 is half a percent. */
    fee_percent: Type.Optional(Type.Number()),
  }),
)

export const getSep24Info = endpoint('GET /sep24/info', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  summary: 'What can be deposited and withdrawn (SEP-24)',
  conditional: true,
  response: {
    200: Type.Object({
      deposit: Sep24Assets,
      withdraw: Sep24Assets,
      fee: Type.Object({ enabled: Type.Boolean() }),
      features: Type.Object({ account_creation: Type.Boolean(), claimable_balances: Type.Boolean() }),
    }),
  },
})

const Optional = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const InteractiveRequest = {
  raw: true,
  accepts: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  body: Type.Object(
    {
      asset_code: Type.String({ minLength: 1, maxLength: 80 }),
      asset_issuer: Optional(80),
      source_asset: Optional(100),
      destination_asset: Optional(100),
      amount: Optional(40),
      quote_id: Optional(100),
      account: Optional(80),
      memo: Optional(100),
      memo_type: Optional(10),
      wallet_name: Optional(100),
      wallet_url: Optional(300),
      lang: Optional(35),
      claimable_balance_supported: Optional(5),
      customer_id: Optional(100),
      refund_memo: Optional(100),
      refund_memo_type: Optional(10),
    },
    { additionalProperties: Type.String({ maxLength: 2000 }) },
  ),
} as const
export const InteractiveAnswer = Type.Object({
  type: Type.Enum(['interactive_customer_info_needed']),
  url: Type.String(),
  id: Type.String(),
})

/** Takes JSON, a form or multipart. Fields of SEP-9 may come beside those named here; all are texts. */
export const startInteractiveDeposit = endpoint('POST /sep24/transactions/deposit/interactive', {
  realm: 'wallet',
  summary: "Begins a deposit on the anchor's own pages (SEP-24)",
  ...InteractiveRequest,
  response: { 200: InteractiveAnswer },
  problems: ['too-many-requests', 'not-found'],
})

/** Takes JSON, a form or multipart. Fields of SEP-9 may come beside those named here; all are texts. */
export const startInteractiveWithdrawal = endpoint('POST /sep24/transactions/withdraw/interactive', {
  realm: 'wallet',
  summary: "Begins a withdrawal on the anchor's own pages (SEP-24)",
  ...InteractiveRequest,
  response: { 200: InteractiveAnswer },
  problems: ['too-many-requests', 'not-found'],
})

export const getSep24Transaction = endpoint('GET /sep24/transaction', {
  realm: 'wallet',
  summary: "One of the wallet's transactions (SEP-24)",
  query: TransactionQuery,
  conditional: true,
  response: { 200: Type.Object({ transaction: SepTransaction }) },
  problems: ['not-found'],
})

export const listSep24Transactions = endpoint('GET /sep24/transactions', {
  realm: 'wallet',
  summary: "The wallet's transactions, newest first (SEP-24)",
  query: TransactionsQuery,
  conditional: true,
  response: { 200: Type.Object({ transactions: Type.Array(SepTransaction) }) },
})
