-- Pages of a payment provider on which a customer pays a deposit, one for each reference.
create table payment_pages (
  -- The provider's own id of it.
  provider_id text primary key,
  rail text not null,
  reference text not null,
  url text not null,
  expires_at timestamptz not null,
  checks integer not null default 0,
  next_check_at timestamptz not null default clock_timestamp() + interval '1 minute',
  closed_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  unique (rail, reference)
);
create index payment_pages_open on payment_pages (rail, next_check_at) where closed_at is null;
create trigger due_work_added after insert on payment_pages
  for each statement execute function notify_due_work();
