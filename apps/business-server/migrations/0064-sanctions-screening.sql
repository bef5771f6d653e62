-- Names of customers and of those who pay or are paid, compared with sanctions lists that operators load from files.

-- Lists and thresholds share it: names are compared again after each of them.
create sequence screening_versions;

create table sanctions_lists (
  version bigint primary key default nextval('screening_versions'),
  source text not null check (source in ('OFAC', 'UN', 'EU')),
  format text not null check (format in ('ofac-xml', 'ofac-csv', 'un-xml', 'eu-xml')),
  file_name text not null,
  digest bytea not null,
  -- `YYYY-MM-DD`, where the file says so.
  published_on text,
  entries integer not null,
  names integer not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp(),
  replaced_at timestamptz(3)
);
create unique index sanctions_lists_current on sanctions_lists (source) where replaced_at is null;

-- Of the lists that count. Those of earlier versions are removed; hits keep what they were about.
create table sanctions_names (
  list bigint not null references sanctions_lists (version),
  entry_id text not null,
  name text not null,
  detail text not null
);
create index sanctions_names_list on sanctions_names (list);

create table screening_thresholds (
  version bigint primary key default nextval('screening_versions'),
  threshold numeric(3, 2) not null check (threshold between 0.70 and 1),
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- A name as it was at that time; another name of the same person is another row.
create table screened_names (
  id uuid primary key default gen_random_uuid(),
  subject_kind text not null check (subject_kind in ('customer', 'transaction', 'payout')),
  subject_id text not null,
  role text not null check (role in ('customer', 'payer', 'beneficiary')),
  sealed bytea not null,
  -- The newest version that it was compared with.
  compared bigint not null default 0,
  compared_at timestamptz(3),
  replaced_at timestamptz(3),
  recorded_at timestamptz(3) not null default clock_timestamp()
);
create unique index screened_names_current on screened_names (subject_kind, subject_id, role) where replaced_at is null;
create index screened_names_compared on screened_names (compared) where replaced_at is null;
create index screened_names_subject on screened_names (subject_kind, subject_id);

create table screening_hits (
  id uuid primary key default gen_random_uuid(),
  name_id uuid not null references screened_names (id),
  list bigint not null references sanctions_lists (version),
  source text not null,
  entry_id text not null,
  entry_name text not null,
  detail text not null,
  score numeric(4, 3) not null,
  state text not null default 'waiting' check (state in ('waiting', 'cleared', 'confirmed')),
  created_at timestamptz(3) not null default clock_timestamp()
);
-- One decision counts until the list has another name for the entry.
create unique index screening_hits_once on screening_hits (name_id, source, entry_id, entry_name);
create index screening_hits_state on screening_hits (state, created_at);

create table screening_decisions (
  id bigint primary key generated always as identity,
  hit_id uuid not null references screening_hits (id),
  decision text not null check (decision in ('clear', 'confirm')),
  reason text not null,
  evidence text,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index screening_decisions_hit on screening_decisions (hit_id, id);

-- What a hit holds, also after its customer was deleted.
create table screening_holds (
  subject_kind text not null,
  subject_id text not null,
  hit_id uuid not null references screening_hits (id),
  primary key (subject_kind, subject_id, hit_id)
);
create index screening_holds_hit on screening_holds (hit_id);

alter table rail_orders add column waits_for text;
