-- Payments that are too small to be anything, counted: a row a day and asset, however many come (docs/adr/0139).
create table ledger_dust (
  day date not null,
  -- Null: the first asset.
  asset text,
  payments bigint not null check (payments > 0),
  amount numeric(19,7) not null check (amount > 0)
);
create unique index ledger_dust_key on ledger_dust (day, asset) nulls not distinct;

-- Refunds of strangers beyond what one account gets in an hour: they leave together.
create table gathered_refunds (
  -- That of the refund, if it were alone.
  cause text primary key,
  return_to text not null,
  asset text,
  amount numeric(19,7) not null check (amount > 0),
  memo text,
  memo_type text,
  leave_at timestamptz(3) not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The cause of the payment that they left by.
  paid_by text
);
create index gathered_refunds_waiting on gathered_refunds (leave_at) where paid_by is null;
create trigger due_work after insert on gathered_refunds
  for each statement execute function notify_due_work();

create index ledger_receipts_returned on ledger_receipts (sender, seen_at)
  where outcome = 'returned' and transfer_id is null;
