-- A decision is what was asked, the weights, and the snapshot it was made on; many decisions share a snapshot. It
-- replaces decisions that each repeated the figures of some of their candidates, and could not tell of the others.
drop table routing_decisions;

-- Who supports an asset on a rail in a region, with all they are scored by, as they stood at a moment.
create table routing_snapshots (
  -- A UUID 7 whose time is taken_at.
  id uuid not null,
  taken_at timestamptz not null,
  asset text not null,
  rail text not null,
  region text,
  failing text not null,
  contenders text not null,
  primary key (id, taken_at)
) partition by range (taken_at);

create table routing_decisions (
  -- A UUID 7 whose time is decided_at.
  id uuid not null,
  decided_at timestamptz not null,
  snapshot_id uuid not null,
  policy_id uuid not null,
  weights text not null,
  amount numeric(19,7) not null check (amount > 0),
  currency text,
  winner text not null,
  stale boolean not null,
  primary key (id, decided_at)
) partition by range (decided_at);
