-- What a provider said of a dispute is bound too (docs/adr/0195): what earlier releases recorded, once.
drop trigger filled_once on bound_facts;
insert into bound_facts (kind, id) select 'dispute', rail || ':' || dispute_id from rail_disputes;
create trigger filled_once before insert or update on bound_facts for each row when (new.bound is null)
  execute function refuse_to_add_unbound();
