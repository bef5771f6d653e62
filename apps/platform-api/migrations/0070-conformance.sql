-- What conformance checks found at anchors, one row for each.
create table conformance_reports (
  anchor_id text not null references anchors (id) on delete cascade,
  checked_at timestamptz not null,
  passed integer not null,
  demands integer not null,
  findings jsonb not null,
  primary key (anchor_id, checked_at)
);
