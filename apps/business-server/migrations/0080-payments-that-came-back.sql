-- A payment of ours that the bank sent back after it was paid, or a return that it could not pay: people decide about it.
alter table rail_orders
  add column came_back_at timestamptz,
  add column settled_as text check (settled_as in ('paid-again', 'refunded')),
  -- The order that came back, of one that pays it again.
  add column again_of uuid references rail_orders (id);
update rail_orders set came_back_at = created_at
  where failure is not null and (state = 'paid' or (kind = 'return' and state = 'failed'))
    and failure <> 'people reversed their decision';
create index rail_orders_came_back on rail_orders (came_back_at desc, id) where came_back_at is not null;

alter table operator_actions
  add column order_id uuid references rail_orders (id),
  -- An account that was asked for, encrypted, while it waits.
  add column sealed bytea,
  drop constraint operator_actions_kind_check,
  add constraint operator_actions_kind_check check (
    (transfer_id is not null and kind in ('cancel', 'refund', 'resend', 'mark-paid', 'pay-again'))
    or (line_id is not null and kind in ('match', 'return', 'own', 'duplicate', 'reverse'))
    or (order_id is not null and kind = 'pay-again')),
  drop constraint operator_actions_one_subject,
  add constraint operator_actions_one_subject check (num_nonnulls(transfer_id, line_id, order_id) = 1);
create unique index operator_actions_order_waiting on operator_actions (order_id) where state = 'waiting';
-- What came back may be paid again more than once.
drop index operator_actions_once;
create unique index operator_actions_once on operator_actions (transfer_id, kind)
  where state = 'done' and kind not in ('resend', 'pay-again');
drop trigger kept on operator_actions;
create trigger kept before delete or update of id, transfer_id, line_id, order_id, kind, reason, payment_id, details,
  requested_by, requested_at, two_people
on operator_actions for each row execute function refuse_to_change_history();
