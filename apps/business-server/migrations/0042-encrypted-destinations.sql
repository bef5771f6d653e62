-- Where a withdrawal is paid to, encrypted. What `destination` has in plain text is encrypted by the server.
alter table transfers add column sealed_destination bytea;

-- An order names the account by its end; the transfer has the whole. An order of an earlier release has all of it until
-- its payment has ended.
create function mask_destination(destination jsonb) returns jsonb language sql immutable as $$
  select case
    when not destination ? 'dest' then destination
    when destination ->> 'dest' like '%@%' then jsonb_build_object('masked',
      left(destination ->> 'dest', 1) || '•••@' || split_part(destination ->> 'dest', '@', 2))
    else jsonb_build_object('masked', '•••• ' || right(destination ->> 'dest', 4))
  end
$$;
create function mask_ended_order() returns trigger language plpgsql as $$
begin
  new.destination := mask_destination(new.destination);
  return new;
end $$;
create trigger mask_ended before insert or update on rail_orders for each row
when (new.state in ('paid', 'failed')) execute function mask_ended_order();
update rail_orders set destination = mask_destination(destination)
  where state in ('paid', 'failed') and destination ? 'dest';

-- The bank of a simulated rail needs no account.
update simulated_rail_payments set destination = '{}' where destination <> '{}';
