-- Proves a reset of the network: a ledger of a lower number that closed later. Null in envelopes stored before.
alter table ledger_envelopes add column ledger_closed_at timestamptz;
