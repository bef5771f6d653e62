-- What earlier releases agreed and bank money may still follow from is bound once, by the server: exactly these. Neither
-- statement locks transfers. What is paid again later, two people release.
create table transfers_to_bind (transfer_id uuid primary key);
insert into transfers_to_bind
  select id from transfers
  where direction = 'withdrawal' and bound is null
    and (state in ('awaiting_funds', 'funded', 'paying_out', 'sent_back')
      or (state in ('expired', 'completed') and updated_at > now() - interval '90 days'));

-- A server of the release before may run beside the new one during an upgrade, and binds nothing.
create table terms_binding (until timestamptz not null);
insert into terms_binding select now() + interval '15 minutes' where exists (select from transfers);

create trigger filled_once before insert or update on transfers_to_bind for each row
  execute function refuse_to_add_unbound();
create trigger filled_once before insert or update on terms_binding for each row
  execute function refuse_to_add_unbound();
