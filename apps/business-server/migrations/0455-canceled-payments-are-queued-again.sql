-- People who take a decision back and take it again queue its payment again, of another amount perhaps. The server's login
-- could not, since it may not change what is paid: it may for a payment that was canceled, while it opens it again.
create function refuse_to_rewrite_payment() returns trigger language plpgsql as $$
begin
  raise exception 'what is paid cannot be changed' using errcode = 'insufficient_privilege';
end $$;
create trigger as_queued
before update of transfer_id, destination, amount, asset, memo, memo_type, claimable on ledger_payments for each row
when (not (old.state = 'canceled' and new.state = 'queued' and new.reopened > old.reopened))
execute function refuse_to_rewrite_payment();

create or replace function grant_server_rights(server_role text) returns void language plpgsql as $$
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
  execute format('revoke update, delete on journal_entries, journal_lines, treasury_settings from %I', server_role);
  for fixed in
    select * from (values
      ('ledger_payments', '{id,cause,purpose,created_at}'),
      ('ledger_envelopes', '{hash,payment_id,xdr,source,sequence,max_time,ledger_sequence,ledger_hash,created_at}'),
      ('ledger_receipts', '{hash,sender,amount,asset,memo,memo_type,seen_at}'),
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
