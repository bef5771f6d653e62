create table reconciliations (
  id bigint generated always as identity primary key,
  -- `schedule` or `operator:<id>`
  by text not null,
  checks jsonb not null,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);

create table reconciliation_differences (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  subject text not null,
  unit text not null,
  amount numeric(24,7) not null,
  detail text not null,
  state text not null default 'open' check (state in ('open', 'resolved', 'gone')),
  last_seen_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  assigned_to text,
  ended_by text,
  ended_at timestamptz,
  reason text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  check (state <> 'resolved' or (ended_by is not null and reason is not null))
);
create unique index reconciliation_differences_open on reconciliation_differences (kind, subject, unit) where state = 'open';
create index reconciliation_differences_created on reconciliation_differences (created_at desc, id);

-- How an ignored line of a statement counts: as the business's own money, or not at all.
alter table bank_lines add column ignored_as text check (ignored_as in ('own', 'duplicate'));
update bank_lines set ignored_as =
  case when exists (select 1 from journal_entries where cause = 'line:' || bank_lines.id || ':own') then 'own' else 'duplicate' end
  where state = 'ignored';
