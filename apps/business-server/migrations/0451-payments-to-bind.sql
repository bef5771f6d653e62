-- What an earlier release queued and has not paid is bound once, by the next server that starts: exactly these.
create table payments_to_bind (payment_id uuid primary key);
insert into payments_to_bind
  select id from ledger_payments where state = 'queued'
    or id in (select payment_id from claimable_balances where state = 'open');
create trigger filled_once before insert or update on payments_to_bind for each row
  execute function refuse_to_add_unbound();

-- Deposits are bound from when they are agreed, as withdrawals are.
drop trigger filled_once on transfers_to_bind;
insert into transfers_to_bind
  select id from transfers
  where direction = 'deposit' and reference is not null
    and (state in ('awaiting_funds', 'funded', 'awaiting_trust')
      or (state = 'expired' and updated_at > now() - interval '90 days'))
  on conflict do nothing;
create trigger filled_once before insert or update on transfers_to_bind for each row
  execute function refuse_to_add_unbound();

-- A proof is for one turn of its payment, and for one refund of a stranger.
create trigger reopened_once before update on ledger_payments for each row when (new.reopened < old.reopened)
  execute function refuse_to_pay_again();
create trigger left_once before update on gathered_refunds for each row
  when (old.paid_by is not null and new.paid_by is distinct from old.paid_by) execute function refuse_to_pay_again();
create trigger kept before delete on gathered_refunds for each row execute function refuse_to_pay_again();

-- And what waits for people since it was held.
drop trigger filled_once on bound_facts;
insert into bound_facts (kind, id)
  select 'held-receipt', subject from ledger_incidents where kind = 'held-receipt' and resolved_at is null;
create trigger filled_once before insert or update on bound_facts for each row when (new.bound is null)
  execute function refuse_to_add_unbound();
