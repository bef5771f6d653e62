-- What the server's own login may do here where it is not the owner of these tables: what was paid is never deleted,
-- and neither amounts nor destinations change. Called by the owner after each migration.
create function grant_server_rights(server_role text) returns void language plpgsql as $$
declare
  schema_name text := current_schema();
  fixed record;
  changeable text;
begin
  execute format('grant usage on schema %I to %I', schema_name, server_role);
  execute format('grant usage on all sequences in schema %I to %I', schema_name, server_role);
  execute format('grant select, insert, update, delete on all tables in schema %I to %I', schema_name, server_role);
  execute format('revoke insert, update, delete on schema_migrations from %I', server_role);
  execute format('revoke delete on transfers from %I', server_role);
  for fixed in
    select * from (values
      ('ledger_payments', '{id,cause,transfer_id,purpose,destination,amount,memo,memo_type,claimable,created_at}'),
      ('ledger_envelopes', '{hash,payment_id,xdr,source,sequence,max_time,ledger_sequence,ledger_hash,created_at}'),
      ('ledger_receipts', '{hash,sender,amount,memo,memo_type,seen_at}'),
      ('rail_receipts', '{rail,payment_id,reference,amount,currency,seen_at}'),
      ('rail_orders', '{id,cause,transfer_id,kind,rail,amount,currency,destination,created_at}'),
      ('transfer_steps', '{id,transfer_id,from_state,to_state,why,at}')) as list (table_name, columns)
  loop
    execute format('revoke update, delete on %I from %I', fixed.table_name, server_role);
    select string_agg(quote_ident(column_name), ', ') into changeable from information_schema.columns
      where table_schema = schema_name and table_name = fixed.table_name
        and column_name <> all(fixed.columns::text[]);
    if changeable is not null then
      execute format('grant update (%s) on %I to %I', changeable, fixed.table_name, server_role);
    end if;
  end loop;
end $$;
revoke execute on function grant_server_rights (text) from public;

-- A payment that went out never goes out again.
create function refuse_to_pay_again() returns trigger language plpgsql as $$
begin
  raise exception 'a payment that went out cannot be queued again' using errcode = 'check_violation';
end $$;
create trigger paid_once before update on ledger_payments for each row
when (old.state = 'paid' and new.state <> 'paid') execute function refuse_to_pay_again();
create trigger paid_once before update on rail_orders for each row
when (old.state in ('paid', 'failed') and new.state in ('queued', 'sent')) execute function refuse_to_pay_again();
