-- A proof that was taken away is not accepted again (docs/adr/0201): what is bound next has another nonce.
alter table bound_facts add column nonce uuid;
create table spent_facts (bound bytea primary key);
create trigger kept before update or delete on spent_facts for each row execute function refuse_to_change_history();

create function keep_spent_fact() returns trigger language plpgsql as $$
begin
  if old.bound is not null and (tg_op = 'DELETE' or new.bound is distinct from old.bound) then
    insert into spent_facts values (old.bound) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger spent after update or delete on bound_facts for each row execute function keep_spent_fact();

create function refuse_spent_fact() returns trigger language plpgsql as $$
begin
  if exists (select from spent_facts where bound = new.bound) then
    raise exception 'a proof is used once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger used_once before insert or update on bound_facts for each row when (new.bound is not null)
  execute function refuse_spent_fact();

-- An order that ended is opened again by people alone, under another proof.
create trigger reopened_once before update on rail_orders for each row when (new.reopened < old.reopened)
  execute function refuse_to_pay_again();
