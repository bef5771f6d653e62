-- What people set of the treasury is bound (docs/adr/0201): of earlier releases what counts, once.
drop trigger filled_once on bound_facts;
insert into bound_facts (kind, id)
  select 'treasury-settings', max(version)::text from treasury_settings group by asset;
create trigger filled_once before insert or update on bound_facts for each row when (new.bound is null)
  execute function refuse_to_add_unbound();
