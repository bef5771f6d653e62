-- A large withdrawal leaves over its rail once validators' signatures prove its payment (docs/adr/0150).
create table ledger_proofs (
  transfer_id uuid primary key references transfers (id),
  hash text not null,
  -- Of the transaction.
  ledger integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'proven', 'accepted')),
  -- What was proven; an operator accepted the payment without it.
  proof jsonb,
  next_try_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  ended_at timestamptz,
  check ((state = 'proven') = (proof is not null))
);
create index ledger_proofs_due on ledger_proofs (next_try_at) where state = 'waiting';
create trigger due_work after insert or update on ledger_proofs
  for each statement execute function notify_due_work();

alter table rail_orders
  drop constraint rail_orders_wait_code_check,
  add constraint rail_orders_wait_code_check
    check (wait_code in ('screening', 'identity', 'debt', 'travel-data', 'unbound', 'proof'));
