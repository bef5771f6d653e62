-- The servers of a sleeping anchor do not run; requests and payments wake them.
alter table anchors
  add column asleep_since timestamptz,
  -- Something is due then.
  add column wake_at timestamptz,
  -- The business server's summary when it fell asleep.
  add column last_summary jsonb,
  -- Of the distribution account then: a payment changes them.
  add column balances jsonb;
create index anchors_asleep on anchors (wake_at) where asleep_since is not null;
