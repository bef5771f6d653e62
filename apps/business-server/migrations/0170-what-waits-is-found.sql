-- What waits is found without reading what is stored.
create index transfers_identifying on transfers (id)
  where state = 'identifying' or (state = 'new' and sep = '6' and message is not null);
create index transfers_unpaid_of_client on transfers (client_domain)
  where state = 'awaiting_funds' and direction = 'deposit';
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_try_at, id)
  where state = 'waiting';
create index ledger_payments_upkeep on ledger_payments (purpose, created_at)
  where purpose in ('open-channels', 'close-channels');
create index ledger_incidents_set_aside on ledger_incidents (next_try_at)
  where kind = 'unreadable-payment' and resolved_at is null;
create index simulated_rail_payments_of_rail on simulated_rail_payments (rail, due_at)
  where reported_at is null;
drop index simulated_rail_payments_due;
-- Those that go before what a stranger sent.
create index ledger_payments_own on ledger_payments (next_try_at)
  where state = 'queued' and not (purpose = 'refund' and transfer_id is null and cause like 'refund:receipt:%');
