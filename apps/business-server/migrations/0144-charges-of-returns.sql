-- What the bank kept of a payment that it sent back (docs/adr/0137).
alter table rail_orders add column bank_kept numeric(19, 7);
