-- What a person or the world decided has a proof under a key that this database does not have (docs/adr/0195). A row
-- without one is of an earlier release: exactly these, which the server binds once. It locks no table that others write.
create table bound_facts (
  kind text not null,
  id text not null,
  bound bytea,
  primary key (kind, id)
);
insert into bound_facts (kind, id)
  select 'operator-action', id::text from operator_actions where state = 'waiting'
  union all select 'return-account', id::text from return_accounts where state = 'waiting'
  union all select 'file-rejection', id::text from payout_file_rejections where state = 'waiting'
  union all select 'bank-opening', id::text from bank_openings where state = 'waiting'
  union all select 'manual-entry', id::text from manual_entries where state in ('waiting', 'reversing')
  union all select 'difference', id::text from reconciliation_differences where state = 'open' and proposed is not null
  union all select 'came-back', id::text from rail_orders where came_back_at is not null and settled_as is null
  union all select 'history-gap', id::text from ledger_incidents where kind = 'history-gap' and resolved_at is null;

create trigger filled_once before insert or update on bound_facts for each row when (new.bound is null)
  execute function refuse_to_add_unbound();
