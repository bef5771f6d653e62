-- What customers owe whose bank took a deposit's money back after the units had left (docs/adr/0121).
create table customer_debts (
  id uuid primary key default gen_random_uuid(),
  transfer_id uuid not null references transfers (id),
  -- The statement's line, or the provider's report.
  cause text not null unique,
  rail text not null,
  currency text not null,
  amount numeric(19, 7) not null check (amount > 0),
  recovered numeric(19, 7) not null default 0 check (recovered between 0 and amount),
  -- What the bank said.
  reason text not null,
  -- Whose it is: the person, and the account in any case.
  person text,
  account text not null,
  account_memo text,
  state text not null default 'open' check (state in ('open', 'recovered', 'written-off', 'reversed')),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  ended_at timestamptz,
  check ((state = 'open') = (ended_at is null)),
  check (state <> 'recovered' or recovered = amount)
);
create unique index customer_debts_once on customer_debts (transfer_id) where state <> 'reversed';
create index customer_debts_open on customer_debts (account) where state = 'open';

alter table ledger_payments
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'unproven', 'screening', 'identity', 'debt',
    'travel-data', 'refused', 'unavailable'));
alter table rail_orders
  drop constraint rail_orders_wait_code_check,
  add constraint rail_orders_wait_code_check check (wait_code in ('screening', 'identity', 'debt', 'travel-data',
    'unbound'));

alter table operator_actions
  drop constraint operator_actions_kind_check,
  add constraint operator_actions_kind_check check (
    (transfer_id is not null and kind in ('cancel', 'refund', 'resend', 'mark-paid', 'pay-again', 'write-off'))
    or (line_id is not null and kind in ('match', 'return', 'own', 'duplicate', 'reverse'))
    or (order_id is not null and kind = 'pay-again'));
