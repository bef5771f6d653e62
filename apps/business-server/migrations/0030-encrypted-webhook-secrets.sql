-- The secret that signs an endpoint's webhooks, encrypted. `secret` holds what an earlier release wrote until the
-- server has encrypted it.
alter table webhook_endpoints add column sealed_secret bytea;
alter table webhook_endpoints alter column secret drop not null;
-- The outbox wipes a payload when it is delivered; these were delivered before it did.
update outbox set payload = null where delivered_at is not null;
-- The SEP server has these; only open calls are read again.
update platform_calls set params = params - 'payout_destination' where delivered_at is not null;
