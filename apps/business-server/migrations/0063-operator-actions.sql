-- What operators do with a transaction, and who approved it where a second person is needed.
create table operator_actions (
  id uuid primary key default gen_random_uuid(),
  transfer_id uuid not null references transfers (id),
  kind text not null check (kind in ('cancel', 'refund', 'resend', 'mark-paid')),
  reason text not null,
  -- Of `mark-paid`: the rail's own id of the payment.
  payment_id text check ((kind = 'mark-paid') = (payment_id is not null)),
  state text not null check (state in ('waiting', 'done', 'rejected')),
  requested_by text not null,
  requested_at timestamptz(3) not null default clock_timestamp(),
  decided_by text,
  decided_at timestamptz(3),
  -- Another person, unless the amount needed none.
  two_people boolean not null,
  check (not two_people or decided_by is null or state = 'rejected' or decided_by <> requested_by),
  check (state <> 'done' or decided_by is not null)
);
create index operator_actions_transfer on operator_actions (transfer_id, requested_at);
-- One request at a time.
create unique index operator_actions_waiting on operator_actions (transfer_id) where state = 'waiting';
-- What ends a transaction is done once.
create unique index operator_actions_once on operator_actions (transfer_id, kind) where state = 'done' and kind <> 'resend';
