-- What customers moved at anchors, for rules about round trips: a person's money goes out at one anchor and comes in at another.
create table customer_movements (
  id uuid primary key default gen_random_uuid(),
  anchor_id text not null references anchors (id),
  customer_id text not null references customers (id) on delete cascade,
  -- The anchor's own number of it.
  reference text not null,
  direction text not null check (direction in ('deposit', 'withdrawal')),
  currency text not null,
  amount numeric(19, 7) not null check (amount > 0),
  at timestamptz(3) not null,
  unique (anchor_id, reference)
);
create index customer_movements_customer on customer_movements (customer_id, at);
create index customer_movements_at on customer_movements (at);
