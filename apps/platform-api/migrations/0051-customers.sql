create table customers (
  id text primary key,
  -- Lower case.
  email text not null unique,
  created_at timestamptz not null
);

create table wallets (
  id text primary key,
  customer_id text not null references customers,
  -- `G…` or `M…`
  address text not null,
  label text not null,
  network text not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  unique (customer_id, address, network)
);
-- Whoever has proven to hold an address is its only owner.
create unique index wallets_one_proven_owner on wallets (address) where verified_at is not null;
create index wallets_address on wallets (address, created_at);

-- The hash of the newest challenge of a wallet; it is good once.
create table wallet_challenges (
  wallet_id text primary key references wallets on delete cascade,
  transaction_hash bytea not null,
  expires_at timestamptz not null
);
