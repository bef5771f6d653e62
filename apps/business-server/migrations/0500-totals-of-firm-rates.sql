-- What firm rates hold together, by who holds them and when they expire, so that a quote adds up as many rows however many are
-- open (docs/adr/0163). Kept here and not by the server: the release before adds firm rates too while both run.
create table firm_rate_totals (
  -- As firm_rate_holders says.
  holder text not null,
  expires_at timestamptz not null,
  -- Empty: the first asset.
  asset text not null,
  quotes bigint not null,
  amount numeric not null,
  primary key (holder, expires_at, asset)
) with (fillfactor = 50);

-- For whom a firm rate counts. Always in the same order, in which their totals are locked.
create function firm_rate_holders(rate firm_rates) returns text[] language sql immutable as $$
  select array_remove(array[
    case when rate.reserved and rate.transfer_id is null then 'client:' || rate.client_domain end,
    case when rate.reserved and rate.transfer_id is null
      then 'customer:' || rate.client_id || coalesce(' ' || rate.client_memo, '') end,
    'person:' || rate.person,
    case when not rate.reserved then 'unreserved' end,
    case when not rate.is_verified then 'unverified' end], null)
$$;

create function add_firm_rate(rate firm_rates, times int) returns void language plpgsql as $$
begin
  insert into firm_rate_totals as total
    select holder, rate.expires_at, coalesce(rate.asset, ''), times, times * rate.amount
    from unnest(firm_rate_holders(rate)) as holder
    on conflict (holder, expires_at, asset) do update
      set quotes = total.quotes + excluded.quotes, amount = total.amount + excluded.amount;
end $$;

create function count_firm_rate() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform add_firm_rate(old, -1); end if;
  if tg_op <> 'DELETE' then perform add_firm_rate(new, 1); end if;
  return null;
end $$;
create trigger added after insert on firm_rates for each row execute function count_firm_rate();
create trigger changed after update on firm_rates for each row
  when ((old.expires_at, old.asset, old.amount, firm_rate_holders(old.*))
    is distinct from (new.expires_at, new.asset, new.amount, firm_rate_holders(new.*)))
  execute function count_firm_rate();
-- Totals are removed an hour after they ended.
create trigger removed after delete on firm_rates for each row
  when (old.expires_at > now() - interval '1 hour') execute function count_firm_rate();

insert into firm_rate_totals
  select holder, expires_at, coalesce(asset, ''), count(*), sum(amount)
  from firm_rates held cross join unnest(firm_rate_holders(held)) as holder
  where expires_at > now() - interval '1 hour'
  group by 1, 2, 3;
-- firm_rates_held goes a release later: the one before this reads it while both run (docs/adr/0131).
