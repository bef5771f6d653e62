-- Complaints of customers and incidents, for regulators. Nothing is changed: steps are added.
create table register_entries (
  id uuid primary key default gen_random_uuid(),
  register text not null check (register in ('complaints', 'incidents')),
  number int not null,
  category text not null check (category in ('delay', 'fee', 'amount', 'identity', 'service', 'outage', 'security', 'data',
    'third-party', 'process', 'other')),
  -- What it is about, under DETAILS_KEY.
  sealed_title bytea not null,
  happened_at timestamptz(3) not null,
  subject_kind text check (subject_kind in ('customer', 'transaction')),
  subject_id text,
  closed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  check ((subject_kind is null) = (subject_id is null)),
  unique (register, number)
);
create index register_entries_listed on register_entries (register, created_at desc, id);

create table register_steps (
  id uuid primary key default gen_random_uuid(),
  entry_id uuid not null references register_entries (id),
  position int not null,
  -- What was done or found, and its cause, under DETAILS_KEY.
  sealed bytea not null,
  customers int check (customers >= 0),
  amount numeric(19, 7) check (amount >= 0),
  currency text,
  closes boolean not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp(),
  unique (entry_id, position)
);
