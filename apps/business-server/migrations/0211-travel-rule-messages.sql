-- Providers that the anchor knows: who they are, and where data of the travel rule reaches them (docs/adr/0140).
create table travel_providers (
  id uuid primary key,
  name text not null,
  lei text,
  country text not null check (country ~ '^[A-Z]{2}$'),
  licence text,
  agreed_on date,
  -- `ta…` of the Travel Rule Protocol; null: nothing is sent to them, and nothing waits for them.
  travel_address text,
  -- Client domains of wallets that hold for their customers, and accounts on the ledger.
  domains text[] not null default '{}',
  accounts text[] not null default '{}',
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- What is asked of providers, and what they ask.
create table travel_inquiries (
  id uuid primary key,
  direction text not null check (direction in ('sent', 'received')),
  protocol text not null check (protocol in ('trp')),
  -- The protocol's own number of it.
  request text not null,
  transfer_id uuid,
  provider_id uuid not null,
  provider_name text not null,
  -- `expected`: none came yet, and money waits for it. `released`: a person lets money move without an answer.
  state text not null check (state in ('queued', 'sent', 'expected', 'waiting', 'approved', 'rejected', 'released',
    'confirmed', 'canceled')),
  -- Document, addresses and words, under DETAILS_KEY.
  sealed bytea not null,
  txid text,
  by text,
  -- What is to be told to the provider, and when it is tried; null: nothing.
  tells text check (tells in ('inquiry', 'resolution', 'confirmation')),
  next_try_at timestamptz(3),
  tries int not null default 0,
  -- Why the last try failed, by a code.
  failure text check (failure in ('unreachable', 'refused', 'no-answer')),
  created_at timestamptz(3) not null,
  answered_at timestamptz(3),
  check ((tells is null) = (next_try_at is null)),
  unique (direction, provider_id, request)
);
create index travel_inquiries_transfer on travel_inquiries (transfer_id);
create index travel_inquiries_listed on travel_inquiries (created_at desc, id);
create index travel_inquiries_due on travel_inquiries (next_try_at) where next_try_at is not null;

-- A payment may wait for the answer of a provider.
alter table ledger_payments
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'memo-required', 'unproven', 'screening',
    'identity', 'debt', 'travel-data', 'travel-answer', 'refused', 'unavailable'));
alter table rail_orders
  drop constraint rail_orders_wait_code_check,
  add constraint rail_orders_wait_code_check check (wait_code in ('screening', 'identity', 'debt', 'travel-data',
    'travel-answer', 'unbound', 'proof'));
