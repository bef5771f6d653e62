-- Whom a message goes to where that is a stranger, such as a wallet's host: a slow one holds up nobody else.
alter table outbox add column lane text;
create index outbox_lanes on outbox (topic, lane, id) where delivered_at is null and lane is not null;
