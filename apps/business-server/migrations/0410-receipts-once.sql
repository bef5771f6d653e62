-- A payment is received once, wherever Horizon says that it is: by its transaction and its operation in it (docs/adr/0193).
-- Null: of a chain that a reset ended, credited by a person, or received by an earlier release, whose ids say the operation.
-- Existing rows stay as they are: writing all of them again would stop a large anchor for minutes.
alter table ledger_receipts add column operation integer;
create unique index ledger_receipts_once on ledger_receipts (hash, operation) where operation is not null;
