-- The key that follows from the link secret, which the SEP server has too, opens nothing any more. What it encrypted is
-- encrypted again by the next server that starts, once: a row here says that there is something. Nobody adds it later.
create table sealed_by_derived_key (one boolean primary key default true check (one));

do $$
declare
  place record;
  is_found boolean;
begin
  for place in
    select table_name, column_name
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = current_schema() and table_type = 'BASE TABLE' and data_type = 'bytea'
  loop
    execute format('select exists (select from %I where substring(%I for 1) = ''\x00'')',
      place.table_name, place.column_name) into is_found;
    if is_found then
      insert into sealed_by_derived_key values (true) on conflict do nothing;
    end if;
  end loop;
end $$;

create trigger filled_once before insert or update on sealed_by_derived_key for each row
  execute function refuse_to_add_unbound();
