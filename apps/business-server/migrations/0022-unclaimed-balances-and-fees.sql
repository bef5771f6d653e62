-- Claimable balances that deposits became: from `reclaim_at` on the anchor takes back what nobody has claimed.
create table claimable_balances (
  id text primary key,
  payment_id uuid not null unique references ledger_payments (id),
  reclaim_at timestamptz not null,
  -- `lost`: with the network that was reset.
  state text not null default 'open' check (state in ('open', 'claimed', 'reclaimed', 'lost')),
  next_look_at timestamptz not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index claimable_balances_due on claimable_balances (next_look_at) where state = 'open';

-- `reclaim`: takes such a balance back. `redelivery`: pays it to the customer's account.
alter table ledger_payments drop constraint ledger_payments_purpose_check;
alter table ledger_payments add constraint ledger_payments_purpose_check
  check (purpose in ('deposit', 'refund', 'reclaim', 'redelivery'));

-- XLM that the ledger charged for it.
alter table ledger_payments add column fee_charged numeric(19,7);
