-- Customers as SEP-12 knows them: an account, and a memo where one account is many people's.
create table customers (
  id uuid primary key default gen_random_uuid(),
  account text not null,
  memo text,
  -- The platform's id, once the centre knows the wallet.
  central_id text,
  -- Standing between e-mail and code: the address that a code was sent to.
  pending_email text,
  fields jsonb not null default '{}',
  created_at timestamptz not null default now(),
  unique nulls not distinct (account, memo)
);
create index customers_central on customers (central_id);

-- What the anchor knows of a central customer's identity; the newest decision wins.
create table kyc_statuses (
  central_id text primary key,
  status text not null check (status in ('NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'REJECTED')),
  provider text,
  session_id text,
  completed_at timestamptz not null,
  updated_at timestamptz not null default now()
);

-- Sessions at the provider that were opened here.
create table kyc_sessions (
  session_id text primary key,
  central_id text not null,
  url text not null,
  created_at timestamptz not null default now()
);
create index kyc_sessions_central on kyc_sessions (central_id, created_at desc);

-- A provider's webhook takes effect once.
create table kyc_deliveries (
  delivery_key text primary key,
  received_at timestamptz not null default now()
);

create table firm_rates (
  id uuid primary key default gen_random_uuid(),
  sell_asset text not null,
  buy_asset text not null,
  -- In asset units.
  amount numeric(19,7) not null,
  fee numeric(19,7) not null,
  fiat_amount numeric(19,7) not null,
  currency text not null,
  client_id text,
  expires_at timestamptz not null,
  transfer_id uuid,
  created_at timestamptz not null default now()
);

-- The money's side of a transaction; the SEP server holds the wallet's.
create table transfers (
  id uuid primary key,
  sep text not null,
  direction text not null check (direction in ('deposit', 'withdrawal')),
  state text not null,
  account text not null,
  account_memo text,
  customer_id uuid references customers (id),
  -- Of a deposit: where the asset goes. Of a withdrawal: where it is expected from.
  stellar_account text not null,
  memo text,
  memo_type text,
  refund_memo text,
  refund_memo_type text,
  claimable boolean not null default false,
  client_domain text,
  lang text,
  rail text not null,
  currency text not null,
  -- In asset units: of a deposit what arrives, of a withdrawal what is sent.
  amount numeric(19,7),
  fee numeric(19,7),
  -- What the customer pays or gets over the rail.
  fiat_amount numeric(19,7),
  rate text,
  quote_id uuid references firm_rates (id),
  -- What a deposit's payment over the rail carries.
  reference text unique,
  -- What a withdrawal's payment on the ledger carries.
  ledger_memo bigint unique,
  -- Where a withdrawal is paid to over the rail.
  destination jsonb not null default '{}',
  ledger_hash text,
  claimable_balance_id text,
  rail_payment_id text,
  message text,
  callback text,
  expires_at timestamptz,
  next_try_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index transfers_state on transfers (state, expires_at);
create index transfers_created on transfers (created_at desc, id);
create index transfers_customer on transfers (customer_id);

-- Every change of state, with its reason.
create table transfer_steps (
  id bigint generated always as identity primary key,
  transfer_id uuid not null references transfers (id),
  from_state text not null,
  to_state text not null,
  why text not null,
  at timestamptz not null default clock_timestamp()
);
create index transfer_steps_transfer on transfer_steps (transfer_id, id);

-- What the SEP server must be told, in order for each transaction.
create table platform_calls (
  id bigint generated always as identity primary key,
  transfer_id uuid,
  method text not null,
  params jsonb not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  -- Refused for good: the SEP server's reason.
  refused text
);
create index platform_calls_open on platform_calls (id) where delivered_at is null;

-- Payments of ours on the ledger. One for each cause, ever.
create table ledger_payments (
  id uuid primary key default gen_random_uuid(),
  cause text not null unique,
  transfer_id uuid references transfers (id),
  purpose text not null check (purpose in ('deposit', 'refund')),
  destination text not null,
  amount numeric(19,7) not null check (amount > 0),
  memo text,
  memo_type text,
  claimable boolean not null default false,
  state text not null default 'queued' check (state in ('queued', 'paid')),
  hash text,
  -- Why it has not gone out yet.
  waits_for text,
  next_try_at timestamptz not null default now(),
  created_at timestamptz not null default clock_timestamp(),
  paid_at timestamptz
);
create index ledger_payments_queue on ledger_payments (next_try_at) where state = 'queued';

-- Stored before they are submitted; at most one of a payment can still apply.
create table ledger_envelopes (
  hash text primary key,
  payment_id uuid not null references ledger_payments (id),
  xdr text not null,
  source text not null,
  sequence text not null,
  max_time bigint not null,
  ledger_sequence integer not null,
  ledger_hash text not null,
  state text not null default 'open' check (state in ('open', 'applied', 'dead')),
  why text,
  created_at timestamptz not null default now()
);
create unique index ledger_envelopes_open on ledger_envelopes (payment_id) where state in ('open', 'applied');

-- How far the payments to the distribution account have been read.
create table observed (
  account text primary key,
  cursor text not null,
  caught_up_at timestamptz
);

-- Each payment to the distribution account, once, and what became of it.
create table ledger_receipts (
  id text primary key,
  hash text not null,
  sender text not null,
  amount numeric(19,7) not null,
  memo text,
  memo_type text,
  transfer_id uuid references transfers (id),
  outcome text not null check (outcome in ('accepted', 'returned', 'ignored')),
  why text not null,
  seen_at timestamptz not null default now()
);

-- Payments that came over a rail, once each.
create table rail_receipts (
  rail text not null,
  payment_id text not null,
  reference text,
  amount numeric(19,7) not null,
  currency text not null,
  transfer_id uuid references transfers (id),
  outcome text not null check (outcome in ('accepted', 'returned', 'unmatched')),
  why text not null,
  seen_at timestamptz not null default now(),
  primary key (rail, payment_id)
);

-- Payments of ours over a rail. One for each cause, ever; the id is the rail's idempotency key.
create table rail_orders (
  id uuid primary key default gen_random_uuid(),
  cause text not null unique,
  transfer_id uuid references transfers (id),
  kind text not null check (kind in ('payout', 'return')),
  rail text not null,
  amount numeric(19,7) not null check (amount > 0),
  currency text not null,
  destination jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'paid', 'failed')),
  failure text,
  next_try_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index rail_orders_queue on rail_orders (next_try_at) where state in ('queued', 'sent');

-- What the simulated rails hold on the other side: the bank's own books.
create table simulated_rail_payments (
  id text primary key,
  rail text not null,
  direction text not null check (direction in ('in', 'out')),
  reference text not null,
  amount numeric(19,7) not null,
  currency text not null,
  destination jsonb not null default '{}',
  outcome text not null check (outcome in ('paid', 'failed')),
  reason text,
  due_at timestamptz not null,
  attempts integer not null default 0,
  reported_at timestamptz
);
create index simulated_rail_payments_due on simulated_rail_payments (due_at) where reported_at is null;
