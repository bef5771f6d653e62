-- What firm quotes reserve together, by spans of five seconds, so that a firm quote adds up as many rows however many there are. Kept here and
-- not by the program: the release before adds quotes too while both run.
create table firm_quote_totals (
  -- `open` and an anchor's asset, by the span in which they expire; `client`, that and the client, by the one in which they were made.
  holder text not null,
  -- So many since 1970.
  span bigint not null,
  amount numeric not null,
  primary key (holder, span)
) with (fillfactor = 50);

create function add_firm_quote(quote quotes, times int) returns void language plpgsql as $$
declare
  asset_of_anchor text := quote.anchor_id || ' ' || split_part(quote.asset, ':', 1) || ':' || coalesce(quote.issuer, '');
begin
  insert into firm_quote_totals as total
    select holder, floor(extract(epoch from at) / 5), times * quote.amount
    from (values ('open ' || asset_of_anchor, quote.expires_at),
      ('client ' || asset_of_anchor || ' ' || quote.client, quote.created_at)) as each (holder, at)
    where holder is not null
    on conflict (holder, span) do update set amount = total.amount + excluded.amount;
end $$;

create function count_firm_quote() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.firm then perform add_firm_quote(old, -1); end if;
  if tg_op <> 'DELETE' and new.firm then perform add_firm_quote(new, 1); end if;
  return null;
end $$;
create trigger added after insert on quotes for each row when (new.firm) execute function count_firm_quote();
create trigger changed after update on quotes for each row execute function count_firm_quote();
-- Totals are removed with the quotes of their time.
create trigger removed after delete on quotes for each row
  when (old.firm and old.expires_at > now() - interval '1 day') execute function count_firm_quote();

insert into firm_quote_totals
  select holder, floor(extract(epoch from at) / 5), sum(amount)
  from quotes cross join lateral (values
    ('open ' || anchor_id || ' ' || split_part(asset, ':', 1) || ':' || coalesce(issuer, ''), expires_at),
    ('client ' || anchor_id || ' ' || split_part(asset, ':', 1) || ':' || coalesce(issuer, '') || ' ' || client, created_at)
  ) as each (holder, at)
  where firm and holder is not null and expires_at > now() - interval '1 day'
  group by 1, 2;

-- Those of the span that ends now are read one by one.
create index quotes_firm_clients on quotes (anchor_id, client, created_at) where firm;
