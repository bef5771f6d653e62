-- Where a comparison of the account's history with the envelopes goes on.
alter table observed add column accounted_cursor text;

-- A sweep that an older state lacks: nobody waits for it.
alter table unrecorded_payments add column is_sweep boolean not null default false;

-- Each look for an excess asks for the last sweep.
create index ledger_payments_sweeps on ledger_payments (paid_at) where purpose = 'sweep';
