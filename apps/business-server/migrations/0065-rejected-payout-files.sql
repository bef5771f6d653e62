-- Approved payout files that the bank rejected: one person says so, another one approves it.
create table payout_file_rejections (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references payout_files (id),
  reason text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'dismissed')),
  requested_by text not null,
  requested_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  decided_by text,
  decided_at timestamptz,
  check ((state = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check (state <> 'done' or decided_by <> requested_by)
);
create index payout_file_rejections_file on payout_file_rejections (file_id, requested_at);
create unique index payout_file_rejections_open on payout_file_rejections (file_id) where state <> 'dismissed';
create trigger kept before delete or update of id, file_id, reason, requested_by, requested_at on payout_file_rejections
  for each row execute function keep_bank_records();

-- The payouts that left a file when it was rejected: the bank may still make them, as a part of that file.
create table rejected_payouts (
  file_id uuid not null references payout_files (id),
  payout_id uuid not null references bank_payouts (id),
  primary key (file_id, payout_id)
);
create index rejected_payouts_payout on rejected_payouts (payout_id);
create trigger kept before delete or update on rejected_payouts
  for each row execute function keep_bank_records();

alter table payout_files drop constraint payout_files_state_check;
alter table payout_files add constraint payout_files_state_check
  check (state in ('created', 'approved', 'canceled') or (state = 'rejected' and approved_by is not null));

create or replace function keep_payout_in_file() returns trigger language plpgsql as $$
begin
  if exists (select 1 from payout_files where id = old.file_id and state not in ('canceled', 'rejected')) then
    raise exception 'a payout is in one file at most' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create or replace function keep_approval() returns trigger language plpgsql as $$
begin
  if old.state = 'approved' and new.state = 'rejected'
    and exists (select 1 from payout_file_rejections where file_id = new.id and state = 'done') then
    return new;
  end if;
  raise exception 'an approved file stays approved' using errcode = 'check_violation';
end $$;
