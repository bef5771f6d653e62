-- The last deposit of each anchor's test wallet, with each request and answer.
create table test_deposits (
  anchor_id text primary key references anchors (id),
  id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'completed', 'failed')),
  account text not null,
  rail text not null,
  amount text not null,
  transaction_id text,
  failure text,
  requests jsonb not null default '[]',
  attempts integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index test_deposits_due on test_deposits (due_at) where ended_at is null;
