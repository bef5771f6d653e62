-- Payments out of the distribution account that the ledger has and this database did not make: after an older state
-- was restored, or where another server holds the account's key.
create table unrecorded_payments (
  hash text not null,
  -- Of the transaction's operations.
  operation integer not null,
  xdr text not null,
  source text not null,
  sequence text not null,
  max_time bigint not null,
  ledger_sequence integer not null,
  ledger_hash text not null,
  ledger_closed_at timestamptz not null,
  destination text not null,
  -- Null: a claimable balance was taken back.
  amount numeric(19,7),
  asset text check (asset = 'native'),
  -- The payment that it turned out to be.
  payment_id uuid unique references ledger_payments (id),
  reported boolean not null default false,
  -- An operator explained it.
  closed boolean not null default false,
  primary key (hash, operation)
);
create index unrecorded_payments_open on unrecorded_payments (destination) where payment_id is null;

-- Up to this sequence number of the account every transaction is known.
alter table observed add column accounted_sequence text;
create index ledger_envelopes_sequence on ledger_envelopes (source, sequence);

alter table ledger_incidents drop constraint ledger_incidents_kind_check;
alter table ledger_incidents add constraint ledger_incidents_kind_check check (kind in ('history-gap',
  'network-reset', 'unreadable-payment', 'unproven-payment', 'unrecorded-payment', 'held-receipt'));

-- `held`: the older state may lack the transaction that it belongs to.
alter table ledger_receipts drop constraint ledger_receipts_outcome_check;
alter table ledger_receipts add constraint ledger_receipts_outcome_check
  check (outcome in ('accepted', 'returned', 'ignored', 'kept', 'held'));
alter table rail_receipts drop constraint rail_receipts_outcome_check;
alter table rail_receipts add constraint rail_receipts_outcome_check
  check (outcome in ('accepted', 'returned', 'unmatched', 'held', 'kept'));
