-- A payment whose fate no Horizon can prove any more waits for an operator.
alter table ledger_incidents drop constraint ledger_incidents_kind_check;
alter table ledger_incidents add constraint ledger_incidents_kind_check
  check (kind in ('history-gap', 'network-reset', 'unreadable-payment', 'unproven-payment'));
