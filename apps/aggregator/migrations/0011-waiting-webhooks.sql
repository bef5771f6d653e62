-- How many deliveries wait for a wallet key is read at each callback.
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id) where state = 'waiting';
