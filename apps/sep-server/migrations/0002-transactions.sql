create table transactions (
  id uuid primary key default gen_random_uuid(),
  sep text not null check (sep in ('6', '24')),
  kind text not null check (kind in ('deposit', 'withdrawal', 'deposit-exchange', 'withdrawal-exchange')),
  status text not null,
  -- The wallet's session that began it: nobody else sees it.
  account text not null,
  account_memo text,
  client_domain text,
  client_name text,
  lang text,
  type text,
  -- Where a deposit is paid to, or a withdrawal comes from.
  stellar_account text,
  memo text,
  memo_type text,
  refund_memo text,
  refund_memo_type text,
  claimable_balance_supported boolean not null default false,
  claimable_balance_id text,
  customer_id text,
  kyc_verified boolean not null default false,
  amount_expected numeric(19,7),
  source_asset text,
  destination_asset text,
  quote_id text,
  amount_in numeric(19,7),
  amount_in_asset text,
  amount_out numeric(19,7),
  amount_out_asset text,
  fee_details jsonb,
  -- Where the customer of a withdrawal pays to.
  withdraw_anchor_account text,
  withdraw_memo text,
  withdraw_memo_type text,
  instructions jsonb,
  fields jsonb not null default '{}',
  stellar_transaction_id text,
  external_transaction_id text,
  refunds jsonb,
  message text,
  on_change_callback text,
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  user_action_required_by timestamptz,
  transfer_received_at timestamptz,
  completed_at timestamptz
);
create index transactions_account on transactions (account, started_at desc);
create index transactions_stellar on transactions (stellar_transaction_id);
create index transactions_external on transactions (external_transaction_id);
create index transactions_started on transactions (started_at desc, id);

-- Calls of the business server that were applied: a repeat after a crash gets the same answer.
create table applied_calls (
  id text primary key,
  result jsonb not null,
  applied_at timestamptz not null default now()
);
create index applied_calls_age on applied_calls (applied_at);

create table quotes (
  -- The business server's id of the firm rate.
  id text primary key,
  account text not null,
  account_memo text,
  sell_asset text not null,
  buy_asset text not null,
  sell_amount numeric(19,7) not null,
  buy_amount numeric(19,7) not null,
  price text not null,
  total_price text not null,
  fee jsonb not null,
  sell_delivery_method text,
  buy_delivery_method text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- A quote is good for one transaction.
  transaction_id uuid references transactions (id)
);

-- Where SEP-12's `PUT /customer/callback` wants to hear of changes.
create table customer_callbacks (
  customer_id text primary key,
  account text not null,
  account_memo text,
  url text not null
);
