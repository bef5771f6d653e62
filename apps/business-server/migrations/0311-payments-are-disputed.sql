-- Disputes of payments that came over a rail, as its provider has them (docs/adr/0178). While one is open, nothing is agreed with
-- its customer and nothing leaves for them.
create table rail_disputes (
  rail text not null,
  -- The provider's ids.
  dispute_id text not null,
  payment_id text not null,
  transfer_id uuid references transfers (id),
  currency text not null,
  -- What is disputed.
  amount numeric(19, 7) not null check (amount > 0),
  state text not null check (state in ('open', 'won', 'lost', 'closed')),
  -- A dispute that was won may be opened again, in a later round.
  round smallint not null default 0,
  -- What the provider has taken of it, and what of that is booked, as what.
  deducted numeric(19, 7) not null default 0 check (deducted >= 0),
  booked numeric(19, 7) not null default 0 check (booked >= 0),
  booked_as text check (booked_as in ('awaited', 'owed', 'suspense')),
  reason text not null,
  respond_by timestamptz,
  -- Whose it is, as of a debt; null: no customer's.
  person text,
  account text,
  account_memo text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  changed_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (rail, dispute_id),
  check ((booked = 0) = (booked_as is null))
);
create index rail_disputes_payment on rail_disputes (rail, payment_id);
create index rail_disputes_open on rail_disputes (account) where state = 'open';
