-- Notifies the server's connections when rows are due earlier than it knows. What is put off needs no notification.
create function notify_due_work() returns trigger language plpgsql as $$
begin
  perform pg_notify('due_work', '');
  return null;
end
$$;

create trigger due_work_added after insert on platform_calls
  for each statement execute function notify_due_work();
create trigger due_work_added after insert on ledger_payments
  for each statement execute function notify_due_work();
create trigger due_work_added after insert on rail_orders
  for each statement execute function notify_due_work();
create trigger due_work_added after insert on simulated_rail_payments
  for each statement execute function notify_due_work();
create trigger due_work_added after insert on webhook_deliveries
  for each row execute function notify_due_work();

create trigger due_work_sooner after update of next_try_at on ledger_payments
  for each row when (new.next_try_at < old.next_try_at) execute function notify_due_work();
create trigger due_work_sooner after update of next_try_at on rail_orders
  for each row when (new.next_try_at < old.next_try_at) execute function notify_due_work();
create trigger due_work_sooner after update of next_try_at on webhook_deliveries
  for each row when (new.next_try_at < old.next_try_at) execute function notify_due_work();
create trigger due_work_sooner after update of due_at on simulated_rail_payments
  for each row when (new.due_at < old.due_at) execute function notify_due_work();
create trigger due_work_sooner after update of expires_at on transfers
  for each row when (new.expires_at < coalesce(old.expires_at, 'infinity')) execute function notify_due_work();

-- It continues when its customer is identified, or there is capacity.
create trigger due_work_waits after insert or update on transfers
  for each row when (new.state = 'identifying' or (new.state = 'new' and new.sep = '6' and new.message is not null))
  execute function notify_due_work();
