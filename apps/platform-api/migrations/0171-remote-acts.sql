-- Acts of people that another program does: what was asked is in the audit log (`intent`) before the call, and how it ended
-- after it. Kept for a day, in which a repeat with the same Idempotency-Key (`key`) is the same act.
create table remote_acts (
  id text primary key,
  actor text not null,
  subject text not null,
  -- `payout-file.created`
  action text not null,
  details text not null,
  endpoint text not null,
  key text,
  request_hash bytea not null,
  intent bigint not null,
  state text not null default 'asked' check (state in ('asked', 'unknown', 'done')),
  asked_at timestamptz not null,
  unique (actor, endpoint, key)
);
create index remote_acts_asked_at on remote_acts (asked_at);
