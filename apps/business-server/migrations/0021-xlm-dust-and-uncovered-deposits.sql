-- What a payment is in: the anchor's asset (null), or XLM that came by mistake and goes back.
alter table ledger_payments add column asset text check (asset = 'native');
alter table ledger_receipts add column asset text check (asset = 'native');

-- `kept`: too little to be worth the fee of its refund.
alter table ledger_receipts drop constraint ledger_receipts_outcome_check;
alter table ledger_receipts add constraint ledger_receipts_outcome_check
  check (outcome in ('accepted', 'returned', 'ignored', 'kept'));

-- `canceled`: the treasury could not cover it, and the deposit is refunded over its rail instead.
alter table ledger_payments drop constraint ledger_payments_state_check;
alter table ledger_payments add constraint ledger_payments_state_check
  check (state in ('queued', 'paid', 'canceled'));
create trigger canceled_once before update on ledger_payments for each row
when (old.state = 'canceled' and new.state <> 'canceled') execute function refuse_to_pay_again();

-- An envelope is signed only for a payment that is still to be made.
create function refuse_envelope_of_ended_payment() returns trigger language plpgsql as $$
begin
  if (select state from ledger_payments where id = new.payment_id for update) <> 'queued' then
    raise exception 'the payment has ended' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger queued_only before insert on ledger_envelopes for each row
execute function refuse_envelope_of_ended_payment();

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
  for fixed in
    select * from (values
      ('ledger_payments', '{id,cause,transfer_id,purpose,destination,amount,asset,memo,memo_type,claimable,created_at}'),
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
