-- A double-entry journal: each effect on money is one entry, whose lines come to zero in every unit. Positive: what the
-- anchor holds, or is owed. Negative: what it owes, or earned.
create table journal_entries (
  id uuid primary key default gen_random_uuid(),
  -- What is recorded; a second entry for it cannot be written.
  cause text not null unique,
  kind text not null,
  transfer_id uuid references transfers (id),
  created_at timestamptz(3) not null default clock_timestamp()
);
create index journal_entries_created on journal_entries (created_at desc, id);
create index journal_entries_transfer on journal_entries (transfer_id);

create table journal_lines (
  entry_id uuid not null references journal_entries (id),
  account text not null,
  -- `asset`: units of the anchor's asset; else a currency code (ISO 4217).
  unit text not null,
  amount numeric(24,7) not null check (amount <> 0),
  primary key (entry_id, account, unit)
);
create index journal_lines_account on journal_lines (account, unit) include (amount);

create function refuse_unbalanced_entry() returns trigger language plpgsql as $$
begin
  if exists (select 1 from journal_lines where entry_id = new.entry_id group by unit having sum(amount) <> 0) then
    raise exception 'the journal entry does not balance' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger balanced after insert on journal_lines deferrable initially deferred
for each row execute function refuse_unbalanced_entry();

create function refuse_journal_change() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is only added to' using errcode = 'check_violation';
end $$;
create trigger added_only before update or delete on journal_entries for each row
execute function refuse_journal_change();
create trigger added_only before update or delete on journal_lines for each row
execute function refuse_journal_change();

-- The rate of a quote, so that what rounding to hundredths leaves is known.
alter table firm_rates add column rate text;

-- What an anchor that is older than its journal begins with.
do $$
declare
  opening uuid := gen_random_uuid();
  own text := (select account from observed limit 1);
  since timestamptz := (select coalesce(max(found_at), '-infinity') from ledger_incidents where kind = 'network-reset');
  treasury numeric;
  customers numeric;
  suspense numeric;
begin
  select
    coalesce((select sum(amount) from ledger_receipts
      where id ~ '^[0-9]+$' and asset is null and sender is distinct from own), 0)
    + coalesce((select sum(case when purpose = 'reclaim' then amount else -amount end) from ledger_payments
      where state = 'paid' and asset is null and paid_at > since
        and (purpose = 'reclaim' or destination is distinct from own)), 0)
    + coalesce((select sum((details->>'difference')::numeric) from ledger_incidents
      where kind = 'history-gap' and resolved_by is not null and found_at > since), 0)
    into treasury;
  select -coalesce(sum(amount), 0) into customers from transfers
    where (direction = 'deposit' and state in ('funded', 'awaiting_trust'))
      or (direction = 'withdrawal' and state in ('funded', 'paying_out'));
  select -coalesce(sum(amount), 0) into suspense from ledger_payments
    where state = 'queued' and purpose = 'refund' and asset is null;
  if treasury = 0 and customers = 0 and suspense = 0 then return; end if;
  insert into journal_entries (id, cause, kind) values (opening, 'opening', 'opening');
  insert into journal_lines (entry_id, account, unit, amount)
    select opening, account, 'asset', amount from (values
      ('treasury', treasury), ('customers', customers), ('suspense', suspense),
      ('opening', -treasury - customers - suspense)) as line (account, amount)
    where amount <> 0;
end $$;

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
  execute format('revoke update, delete on journal_entries, journal_lines from %I', server_role);
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
