-- Attempts at a payment that the ledger refused: each costs a fee, so that pauses grow.
alter table ledger_payments add column attempts integer not null default 0;

-- The newest ledger at the last read: proves a reset of the network, and dates the cursor.
alter table observed add column ledger_sequence integer;
alter table observed add column ledger_hash text;
alter table observed add column ledger_closed_at timestamptz;

-- What an operator must look at: lost history, a reset of the network, a record that cannot be processed.
create table ledger_incidents (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('history-gap', 'network-reset', 'unreadable-payment')),
  -- One incident for each kind and subject.
  subject text not null,
  -- For people: what happened and what it comes to.
  message text not null,
  details jsonb not null default '{}',
  -- Of an unreadable payment: the record as JSON, in bytes because text columns cannot hold every string.
  record bytea,
  attempts integer not null default 0,
  next_try_at timestamptz,
  found_at timestamptz(3) not null default clock_timestamp(),
  resolved_at timestamptz,
  -- Null: the server by itself.
  resolved_by text,
  resolution text,
  unique (kind, subject)
);
create index ledger_incidents_open on ledger_incidents (found_at) where resolved_at is null;
