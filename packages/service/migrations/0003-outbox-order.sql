-- A take reads what it takes, however much waits: of no lane (here '') and of each lane the first that is due.
create index outbox_order on outbox (topic, coalesce(lane, ''), next_at, id) where delivered_at is null;
drop index outbox_lanes;
