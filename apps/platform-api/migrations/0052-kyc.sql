-- What the centre knows of a customer's identity; no row: nothing yet.
create table kyc_records (
  customer_id text primary key references customers,
  status text not null check (status in ('NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'REJECTED')),
  provider text,
  session_id text,
  -- Of the provider's decision: an older one never overwrites a newer one.
  completed_at timestamptz not null,
  verified_at timestamptz,
  updated_at timestamptz not null
);

-- Sessions started at the platform itself.
create table kyc_sessions (
  session_id text primary key,
  customer_id text not null references customers,
  provider text not null,
  created_at timestamptz not null
);
create index kyc_sessions_customer on kyc_sessions (customer_id, created_at desc);

-- Webhooks that were taken: a repeat has no second effect.
create table kyc_deliveries (
  delivery_key text primary key,
  received_at timestamptz not null default now()
);
