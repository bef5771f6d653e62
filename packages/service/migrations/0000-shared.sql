-- Messages to the world outside this database, written in the transaction that causes them.
create table outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  -- At most one message per topic and key, however often it is asked for.
  key text not null,
  payload jsonb,
  -- For bodies that carry a token or code: AES-256-GCM, wiped after delivery.
  sealed bytea,
  created_at timestamptz not null default now(),
  next_at timestamptz not null default now(),
  attempts integer not null default 0,
  last_error text,
  delivered_at timestamptz,
  unique (topic, key)
);
create index outbox_due on outbox (next_at, id) where delivered_at is null;

create table idempotency_keys (
  endpoint text not null,
  principal text not null,
  key text not null,
  body_hash bytea not null,
  started_at timestamptz not null default now(),
  status integer,
  answer jsonb,
  primary key (endpoint, principal, key)
);
create index idempotency_keys_age on idempotency_keys (started_at);

-- The layout of rate-limiter-flexible's RateLimiterPostgres.
create table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);
