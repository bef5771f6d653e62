-- Orders of money are bound: an HMAC under a key that this database does not have. What is not bound waits.
alter table rail_orders add column bound bytea;
alter table payout_files add column approval bytea;

-- What earlier releases wrote is bound once, by the next server that starts: exactly these rows. Nobody adds one later.
create table orders_to_bind (order_id uuid primary key references rail_orders (id));
insert into orders_to_bind
  select id from rail_orders where state in ('queued', 'sent');
create table files_to_bind (file_id uuid primary key references payout_files (id));
insert into files_to_bind select id from payout_files where state = 'approved';

-- A server of the release before may run beside the new one during an upgrade, and binds nothing: until then its rows are
-- bound when they are met.
create table order_binding (until timestamptz not null);
insert into order_binding select now() + interval '15 minutes' where exists (select from rail_orders);

create function refuse_to_add_unbound() returns trigger language plpgsql as $$
begin
  raise exception 'what is bound without its own proof was listed by the migration' using errcode = 'check_violation';
end $$;
create trigger filled_once before insert or update on orders_to_bind for each row
  execute function refuse_to_add_unbound();
create trigger filled_once before insert or update on files_to_bind for each row
  execute function refuse_to_add_unbound();
create trigger filled_once before insert or update on order_binding for each row
  execute function refuse_to_add_unbound();
