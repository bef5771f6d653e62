-- Changes of a rail's account or provider after the application. The credentials are in the secrets store alone.
create table rail_changes (
  id text primary key,
  anchor_id text not null references anchors (id),
  rail text not null,
  provider text not null,
  -- What the second person compares: the fields that are not secret, and the names of those that are.
  fields jsonb not null,
  secrets text[] not null,
  adds boolean not null,
  credentials text not null,
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'cancelled')),
  requested_by text not null,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  check ((status = 'waiting') = (decided_by is null)),
  check ((decided_by is null) = (decided_at is null))
);
create unique index rail_changes_waiting on rail_changes (anchor_id, rail) where status = 'waiting';
create index rail_changes_anchor on rail_changes (anchor_id, requested_at desc);
