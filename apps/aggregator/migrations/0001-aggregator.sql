-- The registry. Capacity, availability and last_checked_at change with every probe: room on the page keeps those
-- updates off the indexes.
create table anchors (
  id text primary key,
  slug text not null,
  name text not null,
  domain text not null,
  api_url text not null,
  status text not null check (status in ('draft', 'provisioning', 'active', 'suspended', 'removed', 'error')),
  regions text[] not null,
  assets jsonb not null,
  rails text[] not null,
  limit_min numeric(19,7) not null check (limit_min > 0),
  limit_max numeric(19,7) not null check (limit_max >= limit_min),
  fee_fixed numeric(19,7) not null check (fee_fixed >= 0),
  fee_percentage numeric(19,18) not null check (fee_percentage between 0 and 1),
  settlement text not null check (settlement in ('instant', 'under_60_minutes')),
  signing_key text,
  summary_secret bytea,
  treasury_capacity numeric(19,7) not null default 0 check (treasury_capacity >= 0),
  current_availability boolean not null default false,
  domain_verified boolean not null default false,
  domain_checked_at timestamptz,
  last_checked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70);

-- One row for each probe; partitions by day are made ahead and dropped after 30 days.
create table health_metrics (
  anchor_id text not null,
  checked_at timestamptz not null,
  current_availability boolean not null,
  treasury_capacity numeric(19,7),
  latency_ms integer not null,
  source text,
  failure text,
  -- The statement that wrote the row, in the order of time (UUID 7): a batch is written once, however often it is
  -- tried, and other processes read it when they are told of it.
  batch_id uuid not null
) partition by range (checked_at);
create index health_metrics_anchor on health_metrics (anchor_id, checked_at desc);
create index health_metrics_batch on health_metrics (batch_id);
create index health_metrics_time on health_metrics using brin (checked_at) with (pages_per_range = 32);

-- Who polls what: a shard is polled by whoever holds its lease.
create table polling_shards (
  shard integer primary key,
  owner text,
  lease_until timestamptz not null default '-infinity'
);
insert into polling_shards (shard) select generate_series(0, 63);
create table polling_processes (
  id text primary key,
  seen_at timestamptz not null
);

create table quotes (
  id uuid primary key,
  anchor_id text not null,
  amount numeric(19,7) not null check (amount > 0),
  currency text not null,
  asset text not null,
  rail text not null,
  region text,
  fx_rate numeric not null,
  fee_fixed numeric(19,7) not null,
  fee_percentage numeric(19,18) not null,
  fee_variable numeric(38,7) not null,
  fee_total numeric(38,7) not null,
  sell_amount numeric(38,7) not null,
  firm boolean not null,
  reasoning text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index quotes_age on quotes using brin (created_at);
create index quotes_firm on quotes (anchor_id, expires_at) where firm;

create table routing_policies (
  id uuid primary key default gen_random_uuid(),
  version integer not null generated always as identity unique,
  name text not null,
  fee numeric(7,6) not null check (fee >= 0),
  speed numeric(7,6) not null check (speed >= 0),
  uptime numeric(7,6) not null check (uptime >= 0),
  liquidity numeric(7,6) not null check (liquidity >= 0),
  active boolean not null default false,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  check (fee + speed + uptime + liquidity = 1)
);
create unique index routing_policies_active on routing_policies (active) where active;
insert into routing_policies (name, fee, speed, uptime, liquidity, active, activated_at)
  values ('Default', 0.4, 0.2, 0.2, 0.2, true, now());

-- What was asked, who stood where and why: enough to answer again and to score anew under any weights.
create table routing_decisions (
  -- A UUID 7 whose time is decided_at: one index serves both.
  id uuid not null,
  decided_at timestamptz not null,
  policy_id uuid not null,
  winner text not null,
  record text not null
) partition by range (decided_at);
alter table routing_decisions alter column record set storage external;
create index routing_decisions_id on routing_decisions (id);

-- Whoever writes the registry or the policies, every aggregator process hears of it.
create function tell_registry() returns trigger language plpgsql as $$
begin
  perform pg_notify('registry', coalesce(new.id, old.id));
  return null;
end $$;
create trigger anchors_written
  after insert or delete or update of slug, name, domain, api_url, status, regions, assets, rails, limit_min,
    limit_max, fee_fixed, fee_percentage, settlement, signing_key, summary_secret, domain_verified
  on anchors for each row execute function tell_registry();

create function tell_policies() returns trigger language plpgsql as $$
begin
  perform pg_notify('policies', '');
  return null;
end $$;
create trigger policies_written
  after insert or update or delete on routing_policies for each statement execute function tell_policies();
