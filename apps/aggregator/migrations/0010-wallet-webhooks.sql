-- Keys of wallets' developers, made without an account. Only a key's hash is stored.
create table wallet_keys (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  hash bytea not null unique,
  -- Part of the address to which anchors post what changes.
  relay text not null unique,
  created_at timestamptz(3) not null default clock_timestamp(),
  used_at timestamptz not null default now()
);

create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  key_id uuid not null references wallet_keys (id) on delete cascade,
  url text not null,
  events text[] not null,
  sealed_secret bytea not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index webhook_endpoints_key on webhook_endpoints (key_id);

create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  -- Standard Webhooks' message id: the same over all attempts and replays.
  message_id text not null,
  event text not null,
  payload text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts integer not null default 0,
  last_status integer,
  last_error text,
  next_try_at timestamptz not null default now(),
  created_at timestamptz(3) not null default clock_timestamp(),
  delivered_at timestamptz,
  unique (endpoint_id, message_id)
);
create index webhook_deliveries_due on webhook_deliveries (next_try_at) where state = 'waiting';
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, created_at desc, id);

-- What endpoints were last sent about each anchor, and since when it is otherwise.
create table reported_availability (
  anchor_id text primary key,
  available boolean not null,
  other_since timestamptz
);
