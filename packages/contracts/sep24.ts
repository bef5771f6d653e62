import Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { SepTransaction, TransactionQuery, TransactionsQuery } from './sep-transactions.ts'

const Side = Type.Record(
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
  summary: 'What can be deposited and withdrawn (SEP-24)',
  response: {
    200: Type.Object({
      deposit: Side,
      withdraw: Side,
      fee: Type.Object({ enabled: Type.Boolean() }),
      features: Type.Object({ account_creation: Type.Boolean(), claimable_balances: Type.Boolean() }),
    }),
  },
})

const Interactive = Type.Object({
  type: Type.Enum(['interactive_customer_info_needed']),
  url: Type.String(),
  id: Type.String(),
})

/** Takes JSON, a form or multipart. */
export const startInteractiveDeposit = endpoint('POST /sep24/transactions/deposit/interactive', {
  realm: 'wallet',
  summary: "Begins a deposit on the anchor's own pages (SEP-24)",
  raw: true,
  response: { 200: Interactive },
})

/** Takes JSON, a form or multipart. */
export const startInteractiveWithdrawal = endpoint('POST /sep24/transactions/withdraw/interactive', {
  realm: 'wallet',
  summary: "Begins a withdrawal on the anchor's own pages (SEP-24)",
  raw: true,
  response: { 200: Interactive },
})

export const getSep24Transaction = endpoint('GET /sep24/transaction', {
  realm: 'wallet',
  summary: "One of the wallet's transactions (SEP-24)",
  query: TransactionQuery,
  response: { 200: Type.Object({ transaction: SepTransaction }) },
})

export const listSep24Transactions = endpoint('GET /sep24/transactions', {
  realm: 'wallet',
  summary: "The wallet's transactions, newest first (SEP-24)",
  query: TransactionsQuery,
  response: { 200: Type.Object({ transactions: Type.Array(SepTransaction) }) },
})
