-- What was agreed about a transfer is bound, as orders are (docs/adr/0176): money leaves by itself only where nobody else
-- changed it.
alter table transfers add column bound bytea;

-- What earlier releases agreed and may still be paid is bound once, by the next server that starts: exactly these.
create table transfers_to_bind (transfer_id uuid primary key references transfers (id));
insert into transfers_to_bind
  select id from transfers
  where state in ('awaiting_funds', 'funded', 'awaiting_trust', 'paying_out', 'sent_back', 'returning')
    or (state in ('expired', 'completed') and updated_at > now() - interval '90 days');

-- A server of the release before may run beside the new one during an upgrade, and binds nothing.
create table terms_binding (until timestamptz not null);
insert into terms_binding select now() + interval '15 minutes' where exists (select from transfers);

create trigger filled_once before insert or update on transfers_to_bind for each row
  execute function refuse_to_add_unbound();
create trigger filled_once before insert or update on terms_binding for each row
  execute function refuse_to_add_unbound();

alter table ledger_payments
  drop constraint ledger_payments_wait_code_check,
  add constraint ledger_payments_wait_code_check check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm',
    'no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'memo-required', 'unproven', 'screening',
    'identity', 'debt', 'travel-data', 'travel-answer', 'refused', 'unavailable', 'unbound'));
