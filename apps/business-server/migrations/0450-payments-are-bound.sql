-- What leaves on the ledger has a proof under a key that this database does not have (docs/adr/0200). Columns alone, since
-- they wait for everyone who reads the tables.
alter table ledger_payments
  add column bound bytea,
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'memo-required', 'unproven', 'screening',
    'identity', 'debt', 'travel-data', 'travel-answer', 'unbound', 'refused', 'unavailable')) not valid;
alter table ledger_envelopes add column ended bytea;
alter table claimable_balances add column bound bytea;
alter table gathered_refunds add column bound bytea;
