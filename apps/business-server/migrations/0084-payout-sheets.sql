-- What people see of a payout file before they approve it, encrypted, and its SHA-256, which an approval names. Null: an
-- earlier release made the file, and it is approved no more.
alter table payout_files add column sealed_sheet bytea, add column sheet_digest bytea;
create trigger sheet_kept before update of sheet_digest on payout_files
  for each row execute function keep_bank_records();

-- Accounts that returns are to go to and that are not those of their lines: one person asks, another one approves.
create table return_accounts (
  id uuid primary key,
  payout_id uuid not null references bank_payouts (id),
  sealed bytea not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'dismissed')),
  requested_by text not null,
  requested_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  decided_by text,
  decided_at timestamptz,
  check ((state = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check (state <> 'done' or decided_by <> requested_by)
);
create unique index return_accounts_waiting on return_accounts (payout_id) where state = 'waiting';
create trigger kept before delete or update of id, payout_id, requested_by, requested_at on return_accounts
  for each row execute function keep_bank_records();
create trigger decided_once before update of state, decided_by, decided_at on return_accounts
  for each row when (old.state <> 'waiting') execute function keep_bank_records();
