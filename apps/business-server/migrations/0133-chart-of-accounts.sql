-- The chart of accounts (docs/adr/0117): what was in `kept` is in accounts by kind.
create table journal_account_settings (
  id bigint generated always as identity primary key,
  account text not null,
  code text,
  tax_key text,
  held_for text check (held_for in ('customers', 'business')),
  by text not null,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index journal_account_settings_newest on journal_account_settings (account, id desc);
create trigger kept before update or delete on journal_account_settings for each row
execute function refuse_to_change_history();

-- The account of the business's own money; null: an earlier release, or a client of one, named none.
alter table bank_lines add column own_account text;

-- Units in `kept` are dust of customers: too little to be returned. What was decided about lines of statements stays there
-- until people say what it is.
do $$
declare
  entry uuid := gen_random_uuid();
begin
  if not exists (select 1 from journal_lines where account = 'kept' and (unit = 'asset' or unit like '%:%')
    group by unit having sum(amount) <> 0) then return; end if;
  insert into journal_entries (id, cause, kind) values (entry, 'chart-of-accounts', 'reclassified');
  insert into journal_lines (entry_id, account, unit, amount)
    select entry, moved.account, kept.unit, moved.sign * kept.amount
    from (select unit, sum(amount) as amount from journal_lines
      where account = 'kept' and (unit = 'asset' or unit like '%:%') group by unit having sum(amount) <> 0) as kept
    cross join (values ('kept', -1), ('unclaimed', 1)) as moved (account, sign);
end $$;
