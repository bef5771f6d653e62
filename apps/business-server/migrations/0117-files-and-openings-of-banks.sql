-- A bank's file as it came, compressed and encrypted. What an older release read was not kept.
create table bank_statement_files (
  statement_id uuid primary key references bank_statements (id),
  sealed bytea not null
);
create trigger kept before delete on bank_statement_files for each row execute function keep_bank_records();

-- What a bank account had before its first statement, as two people say. The newest that is done counts.
create table bank_openings (
  id uuid primary key default gen_random_uuid(),
  account text not null,
  rail text not null,
  currency text not null,
  amount numeric(24,7) not null,
  -- YYYY-MM-DD: at the end of this day
  day text not null,
  reason text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'rejected')),
  requested_by text not null,
  requested_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  decided_by text,
  decided_at timestamptz,
  check ((state = 'waiting') = (decided_by is null)),
  check ((state = 'waiting') = (decided_at is null))
);
create unique index bank_openings_waiting on bank_openings (account) where state = 'waiting';
create index bank_openings_account on bank_openings (account, decided_at);
create trigger kept before delete or update of id, account, rail, currency, amount, day, reason, requested_by, requested_at
  on bank_openings for each row execute function keep_bank_records();
