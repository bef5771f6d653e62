-- What the anchor serves beside its first asset, by `CODE:ISSUER`.
create table further_assets (asset text primary key);

-- Servers of releases before further assets would pay them in the first asset. They read their migrations at the start, and
-- do not say that they know more: it fails.
create function knows_further_assets() returns boolean language plpgsql stable as $$
begin
  if current_setting('windlass.knows', true) is distinct from 'further-assets'
     and exists (select from further_assets) then
    raise exception 'This anchor serves several assets, which servers of this release would pay in the first one. '
      'Start the release that served it last, or a newer one: there is no way back to this one.';
  end if;
  return true;
end $$;

-- Of the servers' logins. The owner, who migrates and exports, reads all.
alter table schema_migrations enable row level security;
create policy release_knows_assets on schema_migrations for select using (knows_further_assets());
