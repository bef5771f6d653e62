-- Entries of the journal that people write for what no rule covers: two people, a text and a document (docs/adr/0138).
create table manual_entries (
  id uuid primary key,
  text text not null,
  -- YYYY-MM-DD; null: the day on which it is approved
  booked_on text check (booked_on ~ '^\d{4}-\d\d-\d\d$'),
  lines jsonb not null,
  file_name text not null,
  digest bytea not null,
  -- The document, encrypted.
  sealed bytea not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'rejected', 'reversing', 'reversed')),
  requested_by text not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  decided_by text,
  decided_at timestamptz,
  -- The newest one.
  reversal jsonb,
  check ((state = 'waiting') = (decided_by is null)),
  check ((state = 'waiting') = (decided_at is null)),
  check (state not in ('reversing', 'reversed') or reversal is not null)
);
create index manual_entries_newest on manual_entries (created_at desc, id desc);
create trigger kept before delete or update of id, text, booked_on, lines, file_name, digest, requested_by, created_at
  on manual_entries for each row execute function refuse_to_change_history();
