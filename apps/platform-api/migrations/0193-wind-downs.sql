-- How an anchor that owes something is closed: two administrators, a day until which units are redeemed, and who answers
-- for what is left then.
create table wind_downs (
  id text primary key,
  anchor_id text not null references anchors,
  state text not null default 'waiting' check (state in ('waiting', 'announced', 'rejected', 'ended')),
  reason text not null,
  -- YYYY-MM-DD
  redeem_until text not null check (redeem_until ~ '^\d{4}-\d\d-\d\d$'),
  successor jsonb not null,
  requested_by text not null,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  check ((state = 'waiting') = (decided_by is null))
);
create unique index wind_downs_standing on wind_downs (anchor_id) where state in ('waiting', 'announced');
create index wind_downs_newest on wind_downs (anchor_id, requested_at desc);
