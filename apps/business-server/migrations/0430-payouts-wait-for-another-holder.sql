-- A payout over a provider's rail waits where a bank named another holder of its account than who is to be paid.
alter table rail_orders
  drop constraint rail_orders_wait_code_check,
  add constraint rail_orders_wait_code_check check (wait_code in ('screening', 'identity', 'debt', 'travel-data',
    'travel-answer', 'other-holder', 'unbound', 'proof'));
