-- What a wallet sends of its customer (SEP-9 fields, payout destinations), encrypted. `fields` holds what an earlier
-- release wrote until the server has encrypted it.
alter table transactions add column details bytea;
-- Answers that an earlier release stored repeat them; nobody reads them there.
update applied_calls set result = result - 'fields';
-- The outbox wipes a payload when it is delivered; these were delivered before it did.
update outbox set payload = null where delivered_at is not null;
