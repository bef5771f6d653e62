-- When an anchor is held against what wallets demand, and what was found the last time.
create table conformance_checks (
  anchor_id text primary key references anchors (id) on delete cascade,
  next_at timestamptz not null,
  checked_at timestamptz,
  report jsonb
);
create index conformance_checks_due on conformance_checks (next_at);
