-- The pair of servers that serves, of the two that may run while one takes over, and what it runs from. Null: it is
-- older than this column and is whatever runs.
alter table anchors add column slot text not null default 'a' check (slot in ('a', 'b'));
alter table anchors add column release jsonb;
alter table anchors add column removed_at timestamptz;

create table upgrades (
  id text primary key,
  anchor_id text not null references anchors (id),
  from_release jsonb,
  to_release jsonb not null,
  state text not null default 'waiting' check (
    state in ('waiting', 'starting', 'switching', 'succeeded', 'failed')),
  -- The pair that does not serve: the new one, and from `switching` on the old one. Null: there is none.
  slot text check (slot in ('a', 'b')),
  sep_port integer unique,
  business_port integer unique,
  requested_by text not null,
  error jsonb,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create unique index upgrades_open on upgrades (anchor_id) where finished_at is null;
create index upgrades_newest on upgrades (anchor_id, created_at desc);

-- Anchors whose accounts were found gone from the ledger and are not restored yet.
create table ledger_resets (
  anchor_id text primary key references anchors (id),
  id text not null,
  seen_at timestamptz not null default clock_timestamp()
);

create table removals (
  id text primary key,
  anchor_id text not null references anchors (id),
  state text not null default 'exporting' check (
    state in ('exporting', 'withdrawing', 'dropping', 'done', 'refused')),
  forced boolean not null,
  -- What the platform adds to the export.
  records jsonb not null,
  export jsonb,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create unique index removals_standing on removals (anchor_id) where state <> 'refused';
