-- The hash of the transaction inside a fee bump: a person may know the payment by it (docs/adr/0193).
alter table ledger_receipts add column inner_hash text;
create index ledger_receipts_by_inner_hash on ledger_receipts (inner_hash) where inner_hash is not null;
