import Type, { type Static } from 'typebox'

/**
 * The protocol between an anchor's two servers: the wire contract of Stellar's Anchor Platform 4.3, so that it can
 * replace either. The SEP server serves the Platform API (JSON-RPC 2.0), the business server the Callback API.
 */

export const kinds = ['deposit', 'withdrawal', 'deposit-exchange', 'withdrawal-exchange'] as const
/** `6` and `24`: deposits and withdrawals. `31`: direct payments, whose kind is `receive`. */
export type TransactionSep = '6' | '24' | '31'
export type TransactionKind = (typeof kinds)[number] | 'receive'
export const isDeposit = (kind: TransactionKind): boolean => kind.startsWith('deposit')

export const statuses = [
  'incomplete',
  'pending_user_transfer_start',
  'pending_user_transfer_complete',
  'pending_external',
  'pending_anchor',
  'on_hold',
  'pending_stellar',
  'pending_trust',
  'pending_user',
  'pending_customer_info_update',
  'pending_transaction_info_update',
  'pending_sender',
  'pending_receiver',
  'completed',
  'refunded',
  'expired',
  'no_market',
  'too_small',
  'too_large',
  'error',
] as const
export type TransactionStatus = (typeof statuses)[number]

/** An amount and the asset in SEP-38's form: `stellar:CODE:ISSUER` or `iso4217:INR`. */
export const AmountOf = Type.Object({
  amount: Type.String({ pattern: '^\\d{1,18}(\\.\\d{1,7})?$' }),
  asset: Type.Optional(Type.String({ maxLength: 100 })),
})
export type AmountOf = Static<typeof AmountOf>

export const FeeDetails = Type.Object({
  total: Type.String({ pattern: '^\\d{1,18}(\\.\\d{1,7})?$' }),
  asset: Type.String({ maxLength: 100 }),
  details: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 100 }),
        amount: Type.String({ maxLength: 30 }),
        description: Type.Optional(Type.String({ maxLength: 300 })),
      }),
      { maxItems: 10 },
    ),
  ),
})
export type FeeDetails = Static<typeof FeeDetails>

export interface Refunds {
  amount_refunded: AmountOf
  amount_fee: AmountOf
  payments: { id: string; id_type: 'stellar' | 'external'; amount: AmountOf; fee: AmountOf }[]
}

/** SEP-9 fields that say what a payment instruction's parts are. */
export type Instructions = Record<string, { value: string; description: string }>

/** A transaction as in the Platform API. */
export interface PlatformTransaction {
  id: string
  sep: TransactionSep
  kind: TransactionKind
  status: TransactionStatus
  /** The way the customer asked for (SEP-6 `type`), such as `upi`. */
  type?: string
  /** In SEP-38's form: the asset on the ledger. Our own: the Anchor Platform has it beside an amount only. */
  asset?: string
  amount_expected?: AmountOf
  amount_in?: AmountOf
  amount_out?: AmountOf
  fee_details?: FeeDetails
  quote_id?: string
  started_at: string
  updated_at: string
  completed_at?: string
  transfer_received_at?: string
  user_action_required_by?: string
  message?: string
  refunds?: Refunds
  stellar_transactions?: { id: string }[]
  external_transaction_id?: string
  source_account?: string
  destination_account?: string
  memo?: string
  memo_type?: string
  refund_memo?: string
  refund_memo_type?: string
  client_domain?: string
  client_name?: string
  /** The wallet's session that began it. */
  creator: { account: string; memo?: string }
  customers: {
    sender: { id?: string; account: string; memo?: string }
    /** Present in a direct payment. */
    receiver?: { id?: string }
  }
  claimable_balance_supported: boolean
  lang?: string
  /** Fields of SEP-6 that say where a withdrawal goes (`dest`, `dest_extra`), and SEP-9 fields of SEP-24. */
  fields?: Record<string, string>
}

export const rpcMethods = [
  'notify_interactive_flow_completed',
  'request_offchain_funds',
  'notify_offchain_funds_sent',
  'notify_offchain_funds_received',
  'notify_offchain_funds_available',
  'notify_offchain_funds_pending',
  'request_onchain_funds',
  'notify_onchain_funds_sent',
  'notify_onchain_funds_received',
  'notify_refund_pending',
  'notify_refund_sent',
  'request_trust',
  'notify_trust_set',
  'request_customer_info_update',
  // Our own method: the Anchor Platform has none for the answers of SEP-6's PATCH.
  'request_transaction_info_update',
  'notify_customer_info_updated',
  'notify_amounts_updated',
  'notify_transaction_error',
  'notify_transaction_expired',
  'notify_transaction_recovery',
  'notify_transaction_on_hold',
] as const
export type RpcMethod = (typeof rpcMethods)[number]

/** Parameters of the methods that change a transaction; each method uses its own. */
export const RpcParams = Type.Object({
  transaction_id: Type.String({ minLength: 1, maxLength: 100 }),
  message: Type.Optional(Type.String({ maxLength: 1000 })),
  amount_in: Type.Optional(AmountOf),
  amount_out: Type.Optional(AmountOf),
  amount_expected: Type.Optional(AmountOf),
  fee_details: Type.Optional(FeeDetails),
  external_transaction_id: Type.Optional(Type.String({ maxLength: 200 })),
  stellar_transaction_id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  funds_received_at: Type.Optional(Type.String({ format: 'date-time' })),
  funds_sent_at: Type.Optional(Type.String({ format: 'date-time' })),
  user_action_required_by: Type.Optional(Type.String({ format: 'date-time' })),
  destination_account: Type.Optional(Type.String({ maxLength: 80 })),
  memo: Type.Optional(Type.String({ maxLength: 100 })),
  memo_type: Type.Optional(Type.Enum(['id', 'text', 'hash'])),
  instructions: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 100 }),
      Type.Object({ value: Type.String({ maxLength: 1000 }), description: Type.String({ maxLength: 300 }) }),
    ),
  ),
  success: Type.Optional(Type.Boolean()),
  refund: Type.Optional(
    Type.Object({
      id: Type.String({ minLength: 1, maxLength: 200 }),
      amount: AmountOf,
      amount_fee: AmountOf,
    }),
  ),
  customer_id: Type.Optional(Type.String({ maxLength: 100 })),
  /** SEP-9 fields that SEP-12 still needs. */
  required_customer_info_updates: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 20 })),
  /** Who paid on the ledger (`G…` or `M…`). */
  source_account: Type.Optional(Type.String({ maxLength: 80 })),
  /** Where a withdrawal is paid out, masked for display. */
  payout_destination: Type.Optional(Type.String({ maxLength: 100 })),
  kyc_verified: Type.Optional(Type.Boolean()),
  claimable_balance_id: Type.Optional(Type.String({ maxLength: 80 })),
})
export type RpcParams = Static<typeof RpcParams>

export interface RpcAnswer {
  jsonrpc: '2.0'
  id: string | number | null
  result?: unknown
  error?: { code: number; message: string; id?: string }
}

/** JSON-RPC 2.0's own codes: a call that the transaction's status does not allow is -32600. */
export const rpcErrors = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const

/** Between an anchor's servers: the address of the client whose request the SEP server passes on. */
export const CLIENT_ADDRESS_HEADER = 'x-client-address'

/** Between an anchor's servers: the id of the SEP server's process, another one at each of its starts. */
export const SEP_RUN_HEADER = 'x-sep-run'

/** A customer's file, such as a picture of a passport. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** A field of SEP-12's `PUT /customer` that names a file: `photo_id_front_file_id`. Between the servers, the file's id. */
export const FILE_ID = '_file_id'

export const MAX_BATCH = 40

export type EventType =
  'transaction_created' | 'transaction_status_changed' | 'quote_created' | 'customer_updated'

export interface PlatformEvent {
  id: string
  timestamp: string
  type: EventType
  payload: { transaction?: PlatformTransaction; quote?: unknown; customer?: unknown }
}

/** `GET /rate` of the Callback API. */
export interface RateRequest {
  type: 'indicative' | 'firm'
  sell_asset: string
  buy_asset: string
  sell_amount?: string
  buy_amount?: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
  expire_after?: string
  /** The wallet's session: account (`G…` or `M…`), memo, and the domain that it proved. */
  client_id?: string
  client_memo?: string
  client_domain?: string
}

export interface RateAnswer {
  rate: {
    /** Present in a firm quote. */
    id?: string
    expires_at?: string
    /** Units of the sold asset for one of the bought, without the fee. */
    price: string
    total_price: string
    sell_amount: string
    buy_amount: string
    fee: FeeDetails
  }
}

export interface CustomerField {
  type: 'string' | 'binary' | 'number' | 'date'
  description: string
  optional?: boolean
  choices?: string[]
  status?: 'ACCEPTED' | 'PROCESSING' | 'REJECTED' | 'VERIFICATION_REQUIRED'
  error?: string
}

/** `GET /customer` of the Callback API and of SEP-12. */
export interface CustomerAnswer {
  id?: string
  status: 'ACCEPTED' | 'PROCESSING' | 'NEEDS_INFO' | 'REJECTED'
  fields?: Record<string, CustomerField>
  provided_fields?: Record<string, CustomerField>
  message?: string
  /** The same for all customers who are one person, where that is known. Only in the Callback API. */
  person?: string
}

/** `aud` of the tokens in interactive links: no wallet session. Each opens one browser's session. */
export const PAGE_AUDIENCE = 'interactive'

/** `aud` of the tokens in `more_info_url`: they show a transaction and change nothing. */
export const STATUS_AUDIENCE = 'transaction-status'
