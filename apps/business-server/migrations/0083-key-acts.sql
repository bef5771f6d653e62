-- What API keys do here, written before it is done, until the platform has it in its audit log.
create table key_acts (
  id uuid primary key default gen_random_uuid(),
  key_id text not null,
  action text not null,
  details jsonb not null,
  -- begun: nobody knows yet how it ends, or the server ended before it did.
  state text not null default 'begun' check (state in ('begun', 'done')),
  next_try_at timestamptz not null,
  reported_at timestamptz,
  at timestamptz not null
);
create index key_acts_unreported on key_acts (next_try_at) where reported_at is null;
