-- Money that a confirmed hit of a list stops: an account of its own beside the journal, which people without compliance read. Rows
-- stay: what was released was blocked for as long.
create table blocked_money (
  id uuid primary key default gen_random_uuid(),
  -- The payment on the ledger, or the order to a rail, that does not leave.
  payment_id text not null,
  transfer_id uuid not null,
  hit_id uuid not null references screening_hits,
  unit text not null,
  amount numeric(19, 7) not null check (amount > 0),
  blocked_at timestamptz(3) not null default clock_timestamp(),
  released_at timestamptz(3)
);
create unique index blocked_money_open on blocked_money (payment_id) where released_at is null;
create index blocked_money_newest on blocked_money (blocked_at desc, id desc);
