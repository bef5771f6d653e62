-- Of each endpoint that something waits for, the first delivery that is due.
create index webhook_deliveries_order on webhook_deliveries (endpoint_id, next_try_at, id)
  where state = 'waiting';
drop index webhook_deliveries_waiting;
