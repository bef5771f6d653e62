-- Statements of the anchor's bank accounts, and what each line became.
create table bank_statements (
  id uuid primary key default gen_random_uuid(),
  account text not null,
  rail text not null,
  currency text not null,
  format text not null check (format in ('camt.053', 'camt.054', 'mt940', 'csv')),
  file_name text not null,
  digest bytea not null,
  -- Of the file: its lines, and those that no earlier file had.
  lines integer not null,
  new_lines integer not null,
  booked_from text,
  booked_to text,
  -- `operator:<id>`, `key:<id>` or `folder`
  by text not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  unique (account, digest)
);
create index bank_statements_created on bank_statements (created_at desc, id);

create table bank_lines (
  -- A digest of what identifies the line, so that it is the same in every file and in every state of the database.
  id text primary key,
  statement_id uuid not null references bank_statements (id),
  -- Its place in that statement.
  position integer not null,
  account text not null,
  rail text not null,
  -- YYYY-MM-DD
  booked_on text not null,
  direction text not null check (direction in ('in', 'out')),
  amount numeric(19,7) not null check (amount > 0),
  currency text not null,
  bank_reference text,
  -- Our own references in its texts: of deposits (W…), payouts (P…) and payout files (F…).
  codes text[] not null default '{}',
  -- Its texts and who paid or was paid, encrypted.
  sealed bytea not null,
  state text not null default 'new' check (state in ('new', 'matched', 'review', 'returned', 'ignored')),
  -- Why it is in this state.
  why text,
  transfer_id uuid references transfers (id),
  order_id uuid references rail_orders (id),
  decided_by text,
  decided_at timestamptz,
  next_try_at timestamptz not null default now(),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index bank_lines_new on bank_lines (next_try_at) where state = 'new';
create index bank_lines_created on bank_lines (created_at desc, id);
create index bank_lines_review on bank_lines (created_at desc, id) where state = 'review';
create index bank_lines_codes on bank_lines using gin (codes);
create index bank_lines_same on bank_lines (account, booked_on, amount);

-- How the columns of a bank's CSV statements are read; the newest row of a rail counts.
create table csv_columns (
  version bigint generated always as identity primary key,
  rail text not null,
  columns jsonb not null,
  by text not null,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index csv_columns_rail on csv_columns (rail, version desc);

create table payout_files (
  id uuid primary key default gen_random_uuid(),
  rail text not null,
  -- The bank shows it with a payment of the whole file.
  code text not null unique,
  format text not null check (format in ('pain.001', 'nacha', 'csv')),
  file_name text not null,
  -- The file, encrypted, and the SHA-256 of what is downloaded.
  sealed bytea not null,
  digest bytea not null,
  payouts integer not null,
  total numeric(19,7) not null,
  currency text not null,
  state text not null default 'created' check (state in ('created', 'approved', 'canceled')),
  created_by text not null,
  approved_by text,
  approved_at timestamptz,
  downloaded_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  check (approved_by <> created_by)
);
create index payout_files_created on payout_files (created_at desc, id);

-- Payments of ours over rails that a bank file carries; each in one file at most.
create table bank_payouts (
  -- The rail order's.
  id uuid primary key references rail_orders (id),
  code text not null unique,
  kind text not null check (kind in ('payout', 'return')),
  rail text not null,
  amount numeric(19,7) not null check (amount > 0),
  currency text not null,
  -- Of a payout: the withdrawal, which has the account.
  transfer_id uuid references transfers (id),
  -- Of a return: the line whose money goes back, and the account where the line names none, encrypted.
  line_id text,
  sealed_destination bytea,
  file_id uuid references payout_files (id),
  ended_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index bank_payouts_file on bank_payouts (file_id);
create index bank_payouts_waiting on bank_payouts (rail, created_at) where file_id is null and ended_at is null;

-- What a bank wrote and what was sent to it does not change.
create function keep_bank_records() returns trigger language plpgsql as $$
begin
  raise exception 'records of a bank file cannot be changed or deleted' using errcode = 'check_violation';
end $$;
create trigger kept before delete or update of id, account, booked_on, direction, amount, currency on bank_lines
  for each row execute function keep_bank_records();
create trigger kept before delete or update of account, digest on bank_statements
  for each row execute function keep_bank_records();
create trigger kept before delete or update of digest, code, total, payouts on payout_files
  for each row execute function keep_bank_records();
-- A payout leaves a file only when the file is canceled, which an approved one never is.
create function keep_payout_in_file() returns trigger language plpgsql as $$
begin
  if exists (select 1 from payout_files where id = old.file_id and state <> 'canceled') then
    raise exception 'a payout is in one file at most' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger in_one_file before update of file_id on bank_payouts
  for each row when (old.file_id is not null) execute function keep_payout_in_file();
create function keep_approval() returns trigger language plpgsql as $$
begin
  raise exception 'an approved file stays approved' using errcode = 'check_violation';
end $$;
create trigger approved_once before update on payout_files
  for each row when (old.state <> 'created' and new.state <> old.state) execute function keep_approval();

create trigger due_work_added after insert on bank_lines
  for each statement execute function notify_due_work();
