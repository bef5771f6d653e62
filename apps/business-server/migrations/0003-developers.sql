create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  url text not null,
  -- `whsec_…`: shown once when it is made.
  secret text not null,
  events text[] not null,
  active boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);

create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  -- Standard Webhooks' message id: the same over all attempts and replays.
  message_id text not null,
  event text not null,
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts integer not null default 0,
  last_status integer,
  last_error text,
  next_try_at timestamptz not null default now(),
  created_at timestamptz not null default clock_timestamp(),
  delivered_at timestamptz,
  unique (endpoint_id, message_id)
);
create index webhook_deliveries_due on webhook_deliveries (next_try_at) where state = 'waiting';
create index webhook_deliveries_created on webhook_deliveries (created_at desc, id);
