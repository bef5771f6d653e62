-- What is agreed does not leave once its customer is rejected: a person refunds it, or it waits (docs/adr/0110).
alter table ledger_payments
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'unproven', 'screening', 'identity',
    'travel-data', 'refused', 'unavailable'));
alter table rail_orders
  drop constraint rail_orders_wait_code_check,
  add constraint rail_orders_wait_code_check check (wait_code in ('screening', 'identity', 'travel-data', 'unbound'));

-- Noted before a rail is asked to pay: what it may have is not refunded.
alter table rail_orders add column handed boolean not null default false;
update rail_orders set handed = true where state = 'queued' and wait_code is null;
