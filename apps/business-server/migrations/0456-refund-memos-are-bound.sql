-- The memo of a withdrawal's refund is bound with what was agreed (docs/adr/0200). What was bound before that and has one is
-- bound again, once: exactly these.
drop trigger filled_once on transfers_to_bind;
insert into transfers_to_bind
  select id from transfers
  where direction = 'withdrawal' and bound is not null and refund_memo is not null
    and (state in ('awaiting_funds', 'funded', 'paying_out', 'sent_back')
      or (state in ('expired', 'completed', 'failed') and updated_at > now() - interval '90 days'))
  on conflict do nothing;
create trigger filled_once before insert or update on transfers_to_bind for each row
  execute function refuse_to_add_unbound();
