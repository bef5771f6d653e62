-- A list is named by its publisher's id, so that OFAC's two stand side by side.
alter table sanctions_lists
  add column list_id text,
  -- When the publisher's list was last seen to be this one.
  add column checked_at timestamptz(3);
update sanctions_lists set checked_at = at, list_id = case source
  when 'OFAC' then 'ofac-sdn' when 'UN' then 'un-consolidated' else 'eu-consolidated' end;
alter table sanctions_lists
  alter column list_id set not null,
  alter column checked_at set not null,
  alter column checked_at set default clock_timestamp(),
  add check (list_id in ('ofac-sdn', 'ofac-consolidated', 'un-consolidated', 'eu-consolidated'));
drop index sanctions_lists_current;
create unique index sanctions_lists_current on sanctions_lists (list_id) where replaced_at is null;

-- Names stay when a version without them comes, so that what was compared with an earlier version can be shown. `list` is the
-- version that a name came with.
alter table sanctions_names
  add column id bigint primary key generated always as identity,
  add column list_id text,
  add column gone_with bigint references sanctions_lists (version);
update sanctions_names set list_id = sanctions_lists.list_id from sanctions_lists where version = list;
alter table sanctions_names alter column list_id set not null;
create index sanctions_names_current on sanctions_names (list_id) where gone_with is null;
