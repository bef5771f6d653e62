-- Horizon contradicted what was read from it: a person says whether the network was reset (docs/adr/0087).
alter table ledger_incidents drop constraint ledger_incidents_kind_check;
alter table ledger_incidents add constraint ledger_incidents_kind_check check (kind in ('history-gap',
  'network-reset', 'unreadable-payment', 'unproven-payment', 'unrecorded-payment', 'held-receipt', 'other-chain'));
-- A transaction that was recorded is looked for again after a reset.
create index ledger_receipts_by_hash on ledger_receipts (hash);
