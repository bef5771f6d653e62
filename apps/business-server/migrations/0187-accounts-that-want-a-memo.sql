-- A payment without a memo waits while its account asks for one (SEP-29).
alter table ledger_payments
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'memo-required', 'unproven', 'screening',
    'identity', 'debt', 'travel-data', 'refused', 'unavailable'));
